// One thread of the simulation: simulates the seeds it is given with the bundle it is given, and posts what became of them.
import { parentPort, workerData } from 'node:worker_threads';

const { file, ...range } = workerData;
const { simulateMany } = await import(file);
parentPort.postMessage(await simulateMany(range));
