// The boundary of the local stack: the CLI imports this file and nothing behind it.
// Must stay quick to load: the slow path and Temporal's client are loaded only when something has to be started.
export { type BinarySearch, explainNotFound, type FoundBinary, findServerBinary } from './binary.js';
export { type StoppedStack, stopStack } from './down.js';
export { ensureStack, knownUiUrl, type Stack } from './ensure.js';
export { StackError, type StackErrorKind } from './error.js';
export type { BinarySource, TriedSource } from './fetch-binary.js';
export { hostIdOf } from './host-id.js';
export { namespaceName, searchAttributes } from './namespace.js';
export { writeReadyFile } from './ready-file.js';
export type { StackRequest } from './start.js';
export { type ServerStatus, type StackStatus, stackStatus, type WorkerStatus } from './status.js';
export { workerFlags } from './worker-process.js';
