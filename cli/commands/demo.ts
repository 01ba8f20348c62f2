// The demo command: a real run on a sample repository with scripted agents, in a folder of its own, with no keys and no network for the agents.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainNotFound, findServerBinary, stopStack } from '../../worker/stack/index.js';
import { type Context, createContext } from '../context.js';
import { unavailable } from '../error.js';
import { demoFolder } from '../places.js';
import { loopRun } from './loop-run.js';
import { newCommand } from './new.js';

const graceMs = 8_000;
const featureId = 'F20260101-090000';

/** Runs the demo; with `keep` the folder and the stack stay for a look, otherwise nothing is left. */
export async function demo(context: Context, { keep, json }: { keep: boolean; json: boolean }): Promise<number> {
  // The server binary is fetched once for the person, not once for each demo.
  const binary = await findServerBinary({ home: context.home, env: { ...context.env }, log: context.err });
  if (binary.kind === 'not_found') throw unavailable(explainNotFound(binary.tried));
  const folder = mkdtempSync(join(tmpdir(), 'pdlc-demo-'));
  const home = join(folder, 'home');
  const repo = join(folder, 'sample');
  const inside = createContext({
    env: { ...withoutServer(context.env), PDLC_HOME: home, PDLC_TEMPORAL_BIN: binary.path },
    cwd: repo,
    stdout: process.stdout,
    stderr: process.stderr,
  });
  try {
    makeSample(repo, context.env);
    context.err(`demo: a sample repository in ${repo}`);
    await newCommand(
      { ...inside, out: () => undefined, err: () => undefined },
      { design: 'docs/design/slugify.md', name: undefined, id: featureId, json: false },
    );
    return await loopRun(inside, featureId, { json, wait: true, honor: false, fresh: false, flags: {} });
  } finally {
    if (keep)
      context.err(
        `demo: kept in ${folder}; look at it with: cd ${repo} && PDLC_HOME=${home} pdlc status ${featureId}   end it with: PDLC_HOME=${home} pdlc down`,
      );
    else {
      await remove(home, folder);
      context.err('demo: its folder and server are gone again; keep them for a look with: pdlc demo --keep');
    }
  }
}

function makeSample(repo: string, env: Context['env']): void {
  const from = demoFolder;
  mkdirSync(repo, { recursive: true });
  cpSync(join(from, 'sample'), repo, { recursive: true });
  const fill = (text: string): string =>
    text.replaceAll('{{AGENT}}', () => JSON.stringify(join(from, 'agent.mjs'))).replaceAll('{{EVALUATOR}}', () => JSON.stringify(join(from, 'evaluator.mjs')));
  writeFileSync(join(repo, 'pdlc.yaml'), fill(readFileSync(join(from, 'pdlc.yaml.template'), 'utf8')));
  const identity = [
    '-c',
    'user.name=pdlc demo',
    '-c',
    'user.email=demo@localhost',
    '-c',
    'commit.gpgSign=false',
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'init.defaultBranch=main',
  ];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'A small library'],
  ]) {
    execFileSync('git', [...identity, ...args], {
      cwd: repo,
      env: { PATH: env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'ignore',
    });
  }
}

async function remove(home: string, folder: string): Promise<void> {
  await stopStack({ home, graceMs });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function withoutServer(env: Context['env']): Context['env'] {
  const { TEMPORAL_ADDRESS: _a, TEMPORAL_PROFILE: _p, TEMPORAL_CONFIG_FILE: _f, TEMPORAL_NAMESPACE: _n, ...rest } = env;
  return rest;
}
