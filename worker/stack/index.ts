// The boundary of the local stack: the CLI imports this file and nothing behind it.
// Must stay quick to load: the slow path and Temporal's client are loaded only when something has to be started.
export { explainNotFound, findServerBinary } from './binary.js';
export { stopStack } from './down.js';
export { ensureStack, knownUiUrl } from './ensure.js';
export { StackError } from './error.js';
export { hostIdOf } from './host-id.js';
export { namespaceName } from './namespace.js';
export { writeReadyFile } from './ready-file.js';
export type { Stack } from './record.js';
export type { StackRequest } from './start.js';
export { stackStatus } from './status.js';
export { workerFlags } from './worker-process.js';
