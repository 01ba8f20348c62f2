// The doctor command: looks at everything a run needs and names one fix per problem. It starts nothing and changes nothing.
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programProblem } from '../../activities/agents/program.js';
import type { Repository } from '../../activities/git/read.js';
import { containment, escapes } from '../../activities/process/containment.js';
import { explainNotFound, findServerBinary, stackStatus } from '../../worker/stack/index.js';
import { loadConfig } from '../config.js';
import { hasOwnServer } from '../connect.js';
import type { Context } from '../context.js';
import { CliError } from '../error.js';
import { openHere } from '../feature.js';

/** One thing looked at; `fix` is a command or sentence when it is not in order, `found` what is there. */
type Finding = { name: string; ok: boolean; found: string; fix: string | null };

/** Prints all findings; exits 0 when everything is in order, else 4. */
export async function doctor(context: Context, { json }: { json: boolean }): Promise<number> {
  const findings = [node(), await git(context), home(context), processes(), await server(context), ...(await repository(context))];
  const ok = findings.every((finding) => finding.ok);
  if (json) context.out(JSON.stringify({ schema: 'pdlc.doctor/1', ok, findings }));
  else
    for (const finding of findings)
      context.out(`${finding.ok ? 'ok  ' : 'FIX '} ${finding.name}: ${finding.found}${finding.fix ? `\n     ${finding.fix}` : ''}`);
  return ok ? 0 : 4;
}

const good = (name: string, found: string): Finding => ({ name, ok: true, found, fix: null });
const bad = (name: string, found: string, fix: string): Finding => ({ name, ok: false, found, fix });

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  return isNew ? good('node', process.version) : bad('node', process.version, 'install Node.js 20.19 or newer');
}

async function git({ git }: Context): Promise<Finding> {
  try {
    const { stdout } = await git(['version']);
    const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(stdout)?.slice(1) ?? []).map(Number);
    const version = stdout.trim().replace('git version ', '');
    return major > 2 || (major === 2 && minor >= 31) ? good('git', version) : bad('git', version, 'install git 2.31 or newer');
  } catch {
    return bad('git', 'none on PATH', 'install git');
  }
}

function home({ home }: Context): Finding {
  let place = home;
  while (!existsSync(place)) place = dirname(place);
  try {
    accessSync(place, constants.W_OK);
    return good('state folder', home);
  } catch {
    return bad('state folder', `${place} is not writable`, 'set PDLC_HOME to a folder that you can write');
  }
}

function processes(): Finding {
  const found = containment();
  return good('containment', `${found}: ${escapes[found]}`);
}

async function server(context: Context): Promise<Finding> {
  if (hasOwnServer(context.env)) return remote(context);
  const { home, env } = context;
  const { server, worker } = await stackStatus(home);
  if (server.state === 'running') return good('local stack', `server and worker: ${server.state}, ${worker.state}`);
  if (server.state === 'deaf') return bad('local stack', 'its server process is there but does not answer', 'pdlc down');
  const binary = await findServerBinary({ home, env: { ...env }, log: () => undefined });
  if (binary.kind === 'found') return good('local stack', `${server.state}; starts by itself from ${binary.path} (${binary.version})`);
  return bad('local stack', 'no Temporal server binary', explainNotFound(binary.tried));
}

async function remote(context: Context): Promise<Finding> {
  try {
    const { connect } = await import('../connect.js');
    const { namespace, close } = await connect(context);
    await close();
    return good('server', `namespace ${namespace} answers`);
  } catch (error) {
    return bad('server', error instanceof Error ? error.message : String(error), 'check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and the profile');
  }
}

async function repository(context: Context): Promise<Finding[]> {
  try {
    const repo = await openHere(context);
    return [good('repository', repo.top), ...(await configuration(context, repo))];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [bad('repository', error.message, 'run pdlc inside the checkout of a git repository')];
  }
}

async function configuration(context: Context, repo: Repository): Promise<Finding[]> {
  const feature = {
    id: 'doctor',
    repo,
    branch: 'pdlc/doctor',
    branchProblem: null,
    tip: null,
    state: { ok: false, expected: '', found: '' },
    stateText: '',
    source: 'checkout',
  } as const;
  try {
    const { config, source } = await loadConfig(context, feature, { base: repo.head, flags: {}, honor: false });
    const problem = programProblem(config.stages.tdd.agent.command[0] ?? '', { cwd: repo.top, path: context.env.PATH ?? '' });
    const agent = config.stages.tdd.agent.command.join(' ');
    return [
      good('configuration', `${source}: checks ${Object.keys(config.checks).join(', ')}`),
      problem ? bad('agent', problem, 'install it, or correct agent in pdlc.yaml') : good('agent', agent),
    ];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [bad('configuration', error.message, existsSync(join(repo.top, 'pdlc.yaml')) ? 'edit pdlc.yaml' : 'pdlc init')];
  }
}
