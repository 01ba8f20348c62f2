// Prints the 15-point form of the house style with measured values; `npm run score` starts it. Holds nothing but the start, because node 20 runs no TypeScript.
import { createViteServer } from 'vitest/node';

const server = await createViteServer({ configFile: false, logLevel: 'error', appType: 'custom', server: { middlewareMode: true, hmr: false, ws: false } });
try {
  const { scoreTable } = await server.ssrLoadModule('/test/form/score.ts');
  console.log(scoreTable());
} finally {
  await server.close();
}
