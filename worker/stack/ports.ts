// Owns the choice of loopback ports and the question whether one answers.
// Never binds anything but 127.0.0.1, and never holds a port.
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { StackPorts } from './record.js';
import { waitUntil } from './wait.js';

// Below the range from which Linux and macOS lend ports to outgoing connections, so that a remembered port stays free.
const portMin = 20_000;
const portMax = 29_999;
const portTriesMax = 50;
const connectMsMax = 1_000;
const letGoMsMax = 1_000;

/** Keeps each remembered port that nobody else holds and replaces the others. */
export async function choosePorts(remembered: StackPorts | null): Promise<StackPorts> {
  const server = await keepOrReplace(remembered?.server ?? null, null);
  return { server, ui: await keepOrReplace(remembered?.ui ?? null, server) };
}

/** True when something on 127.0.0.1 accepts a connection on this port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(connectMsMax, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

async function keepOrReplace(port: number | null, taken: number | null): Promise<number> {
  // A server that was killed an instant ago may still be letting go of its port.
  if (port !== null && port !== taken && (await waitUntil(() => isFree(port), letGoMsMax))) return port;
  for (let tries = 0; tries < portTriesMax; tries += 1) {
    const candidate = randomInt(portMin, portMax + 1);
    if (candidate !== taken && (await isFree(candidate))) return candidate;
  }
  throw new Error(`No free port on 127.0.0.1: tried ${portTriesMax} between ${portMin} and ${portMax}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
