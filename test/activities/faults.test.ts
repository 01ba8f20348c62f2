// Guarantees of a disk that fails: whichever call of an operation fails, and however, it says so as something to try again, and the repeat ends as if nothing had been.
// By default operations of several processes are tried at every eleventh call; FAULTS=all (npm run faults) tries every one.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { capture } from '../../activities/capture.js';
import { ensureTree } from '../../activities/git/agent-tree.js';
import { setEngineRef } from '../../activities/git/refs.js';
import { toFailure } from '../../activities/host/failures.js';
import { pathsOf } from '../../activities/host/host.js';
import { appendEntries } from '../../activities/ledger/append.js';
import { readLedger } from '../../activities/ledger/read.js';
import { buildRoom } from '../../activities/oracle/room.js';
import { releaseSlots, withSlot } from '../../activities/oracle/slot.js';
import { attachOrStart } from '../../activities/process/launch.js';
import { publish } from '../../activities/publish.js';
import { release } from '../../activities/release.js';
import type { StageRecord } from '../../machines/contract/state-file.js';
import { faultyGit, isFolderSynced, survivingBytes, withFault } from '../helpers/faults.js';
import { freshDir, put, shellGit, snapshot } from './git/scene.js';
import { attempt, captured, judged, numbered, over, settled, started } from './ledger/entries.js';
import { actOf, command, configOf, counter, makeRun, type Run, redFiles } from './oracle/run.js';
import { end, outOf, shell } from './process/attempts.js';

vi.mock('node:fs/promises', async (original) => (await import('../helpers/faults.js')).faultyFs(await original()));

const codes = ['ENOSPC', 'EIO', 'EROFS'] as const;
/** More calls than any operation here makes. */
const callsMax = 200;
const stride = process.env.FAULTS === 'all' ? 1 : 11;

type Walk<S, F> = { begin: () => Promise<S> | S; operate: (scene: S) => Promise<F>; look?: (scene: S) => void | Promise<void>; every?: number };

vi.setConfig({ testTimeout: 300_000 });

/** Lets each call fail once, before and after it is done; `look` is called right after the fault, when nothing was repeated yet. Gives the names of the calls that failed. */
async function walk<S, F>({ begin, operate, look, every = 1 }: Walk<S, F>): Promise<string[]> {
  const wanted = await operate(await begin());
  const struck: string[] = [];
  for (const late of [false, true])
    for (let at = 1; at < callsMax; at += every) {
      const scene = await begin();
      const first = await withFault({ at, code: codes[at % codes.length] ?? 'EIO', late }, () => operate(scene));
      if (first.struck === null) break;
      struck.push(first.struck);
      const what = `${first.struck}, call ${at}${late ? ', late' : ''}`;
      if ('error' in first) expect(toFailure(first.error), what).toMatchObject({ type: expect.stringMatching(/^(disk|git)_failed$/), nonRetryable: false });
      await look?.(scene);
      expect(await operate(scene), what).toEqual(wanted);
    }
  expect(struck.length).toBeLessThan(2 * callsMax);
  return struck;
}

const runKey = '11111111-run';
const entries = numbered([started, attempt('tdd', 1), captured('tdd', 1), judged('tdd', 1, { kind: 'pass' }), settled('tdd', true), over('review_done')]);

test('a ledger is whole after any failed call, and what it says is on the disk although an earlier sync failed', async () => {
  const struck = await walk({
    begin: async () => {
      const file = join(freshDir('ledger'), 'runs', 'one', 'ledger.jsonl');
      await appendEntries({ file, entries: entries.slice(0, 2), runKey });
      return file;
    },
    operate: async (file) => {
      const { digest } = await appendEntries({ file, entries: entries.slice(1), runKey });
      expect(survivingBytes(file)).toEqual(readFileSync(file));
      return { digest, text: readFileSync(file, 'utf8') };
    },
    look: async (file) => {
      const cut = join(freshDir('cut'), 'ledger.jsonl');
      writeFileSync(cut, survivingBytes(file));
      for (const one of [file, cut]) {
        const { kind, entries: found } = { kind: 'whole', ...(await readLedger(one, runKey)) };
        expect([kind !== 'broken', found]).toEqual([true, entries.slice(0, Math.max(2, found.length))]);
      }
    },
  });
  expect(new Set(struck)).toEqual(new Set(['mkdir', 'open', 'truncate', 'write', 'datasync', 'rename', 'rm', 'sync']));
});

test('the first entries of a ledger are on the disk only when its folder is, too', async () => {
  const struck = await walk({
    begin: () => join(freshDir('ledger'), 'ledger.jsonl'),
    operate: async (file) => {
      const { digest } = await appendEntries({ file, entries: entries.slice(0, 2), runKey });
      return { digest, isThere: isFolderSynced(dirname(file)) };
    },
  });
  expect(struck).toContain('sync');
});

test('an engine ref names the old commit or the new one, survives a power cut, and leaves no file of a failed call', async () => {
  const [before, after] = ['a'.repeat(40), 'b'.repeat(40)];
  const ref = 'refs/pdlc/tip';
  await walk({
    begin: async () => {
      const dir = freshDir('engine');
      await setEngineRef(dir, ref, before);
      return dir;
    },
    operate: async (dir) => {
      await setEngineRef(dir, ref, after);
      return snapshot(dir);
    },
    look: (dir) => {
      expect([`${before}\n`, `${after}\n`]).toContain(readFileSync(join(dir, ref), 'utf8'));
      expect(survivingBytes(join(dir, ref))).toEqual(readFileSync(join(dir, ref)));
    },
  });
});

test('a command is started once, and never before all that it needs is on the disk', async () => {
  await walk({
    every: stride,
    begin: () => shell('echo started; cat', { prompt: 'the prompt' }),
    operate: async (request) => {
      const exit = await end(await attachOrStart(request));
      return { exit, out: outOf(request) };
    },
  });
});

test('a room slot that could not be taken is free for the next, and none is lost', async () => {
  await walk({
    begin: () => pathsAt(freshDir('home')),
    operate: async (paths) => {
      await withSlot(paths, actOf(), async () => undefined);
      await releaseSlots(paths);
      const slot = await withSlot(paths, actOf(), async ({ dir }) => dir);
      return [slot.slice(paths.rooms.length), readdirSync(paths.rooms)];
    },
    look: (paths) => {
      const owners = existsSync(paths.rooms) ? readdirSync(paths.rooms).filter((name) => name.endsWith('.owner')) : [];
      for (const name of owners) expect(readFileSync(join(paths.rooms, name), 'utf8')).toBe(paths.dir);
    },
  });
});

function pathsAt(home: string): Run['paths'] {
  const host = { home, hostId: 'h' } as Run['host'];
  return pathsOf(host, { run: { hostId: 'h', project: 'p', featureId: 'F1' } as Run['run'], runKey });
}

test('installed dependencies are kept whole or not at all', async () => {
  const runs = counter();
  const setup = command(`${runs.run}; mkdir -p one src/two && echo 1 >one/x && echo 2 >src/two/x && echo 3 >three`);
  const template = await makeRun({ config: configOf({ setup }) });
  const struck = await walk({
    every: 2 * stride - 1,
    begin: () => copyOf(template),
    operate: async (run) => {
      const act = actOf({ id: 'act' });
      const contents = async (part: string) => {
        expect(await withSlot(run.paths, act, (slot) => buildRoom({ ...run, act, slot, files: run.run.files }, { commit: run.base, part }, setup))).toEqual({
          ok: true,
        });
        return snapshot(join(run.paths.rooms, '0', 'room'), (path) => path === '.git');
      };
      return [await contents('first'), await contents('second')];
    },
  });
  if (stride === 1) expect(struck).toContain('rename');
});

/** A run of its own with all that another holds. */
function copyOf({ host, run, runKey: key, paths, base }: Run): Run {
  const dir = freshDir('copy');
  cpSync(host.home, join(dir, 'home'), { recursive: true });
  cpSync(run.repo, join(dir, 'repo'), { recursive: true });
  cpSync(run.files, join(dir, 'files'), { recursive: true });
  const copied = { ...host, home: join(dir, 'home'), git: faultyGit(host.git) };
  const moved = { ...run, repo: join(dir, 'repo'), gitDir: join(dir, 'repo', '.git'), files: join(dir, 'files') };
  expect(paths.dir.startsWith(host.home)).toBe(true);
  return { host: copied, run: moved, runKey: key, paths: pathsOf(copied, { run: moved, runKey: key }), base };
}

const place = { stage: 'tdd', step: 1, attempt: 1, tries: 0 } as const;
const at = '2026-01-02T00:00:00.000Z';

/** A run whose agent has worked and committed. */
async function worked(): Promise<Run> {
  const run = await makeRun({ runKey });
  put(run.run.files, { 'state.json': JSON.stringify({ feature_id: 'F1', current_stage: 'design', next_step: 'pdlc-tdd', history: [] }) });
  const tree = await ensureTree({ git: run.host.git, runDir: run.paths.dir, engineDir: run.paths.engine, branch: run.run.branch, commit: run.base });
  put(tree, redFiles);
  shellGit(tree, ['add', '-A']);
  shellGit(tree, ['commit', '-qm', 'by the agent']);
  put(tree, { 'src/more.sh': 'more\n', '.env': 'KEY=1\n' });
  return run;
}

const fsck = (dir: string): string => shellGit(dir, ['fsck', '--strict', '--no-dangling']);

test('a capture is the same commit', async () => {
  const template = await worked();
  const ask = (run: Run) => capture(run.host, { run: run.run, runKey: run.runKey, at: place, author: 'agent', parent: run.base, tip: run.base, atMs: 0 });
  await walk({ every: stride, begin: () => copyOf(template), operate: async (run) => ({ captured: await ask(run), fsck: fsck(run.paths.engine) }) });
});

const nothingPast = { past: async () => null };

test('a stage is published whole or not at all', async () => {
  const template = await worked();
  const work = await capture(template.host, { run: template.run, runKey, at: place, author: 'agent', parent: template.base, tip: template.base, atMs: 0 });
  const record: StageRecord = { stage: 'tdd', ok: true, reason: null, checks: { red_verified: true }, produced: [], at };
  await walk({
    every: stride,
    begin: () => copyOf(template),
    operate: async ({ host, run, base }) => {
      const dispatched = [{ kind: 'stage.dispatched', seq: 1, at, stage: 'tdd', step: 1, entry: 'work' } as const];
      const published = await publish(host, { run, runKey, at: place, entries: dispatched, settle: { record, tip: work.commit, from: base } }, nothingPast);
      return { published, branch: shellGit(run.repo, ['rev-parse', 'pdlc/F1']), fsck: fsck(run.repo) };
    },
    look: ({ run }) => {
      const branch = shellGit(run.repo, ['for-each-ref', '--format=%(subject)', 'refs/heads/pdlc']);
      expect(['', 'pdlc(F1): tdd passed']).toContain(branch);
      expect(fsck(run.repo)).toBe('');
    },
  });
});

test('the end of a run loses nothing that was in its tree', async () => {
  const template = await worked();
  await walk({
    every: stride,
    begin: () => copyOf(template),
    operate: async ({ host, run, base, paths }) => {
      const { leftOut, savedRef } = await release(host, { run, runKey, tip: base, entries: [], final: 'aborted' }, nothingPast);
      const saved = shellGit(run.repo, ['ls-tree', '-r', '--name-only', savedRef ?? '']);
      const agents = shellGit(join(paths.dir, 'old-git', 'end'), ['log', '--format=%s']);
      return { saved, agents, left: leftOut && readdirSync(leftOut), tree: existsSync(paths.tree) };
    },
  });
});
