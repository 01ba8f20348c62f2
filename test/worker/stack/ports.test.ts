// Checks that remembered ports are kept while they can be.
// Never leaves a port open.
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { accepts, choosePorts } from '../../../worker/stack/ports.js';

const open: Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

test('free remembered ports are kept', async () => {
  const ports = await choosePorts(null);
  expect(await choosePorts(ports)).toEqual(ports);
});

test('of two remembered ports only the one that a stranger holds is replaced', async () => {
  const ports = await choosePorts(null);
  await occupy(ports.ui);
  const chosen = await choosePorts(ports);
  expect(chosen.server).toBe(ports.server);
  expect(chosen.ui).not.toBe(ports.ui);
});

test('a port that is let go within a second is kept', async () => {
  const ports = await choosePorts(null);
  const holder = await occupy(ports.server);
  setTimeout(() => holder.close(), 100);
  expect(await choosePorts(ports)).toEqual(ports);
});

test('server and UI never share a port', async () => {
  const { server } = await choosePorts(null);
  const chosen = await choosePorts({ server, ui: server });
  expect(chosen.ui).not.toBe(chosen.server);
});

test('a port is said to accept only while something listens', async () => {
  const { server } = await choosePorts(null);
  expect(await accepts(server)).toBe(false);
  await occupy(server);
  expect(await accepts(server)).toBe(true);
});

async function occupy(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  open.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}
