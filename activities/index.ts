// Owns the boundary of activities: the one constructor that the worker calls. Nothing else of this folder is for workers.
import type { Activities } from '../machines/contract/activities.js';
import { agent } from './agent.js';
import { capture } from './capture.js';
import { withAct } from './host/act.js';
import type { Host } from './host/host.js';
import { judge } from './judge.js';
import { prepare } from './prepare.js';
import { publish } from './publish.js';
import { release } from './release.js';

export { createGit } from './git/git.js';
export type { Host } from './host/host.js';
export { openNursery } from './process/nursery.js';

/** The activities of one host, each wrapped with heartbeats and typed failures. */
export function createActivities(host: Host): Activities {
  return {
    prepare: withAct((input, act) => prepare(host, input, act)),
    agent: withAct((input, act) => agent(host, input, act)),
    capture: withAct((input) => capture(host, input)),
    judge: withAct((input, act) => judge(host, input, act)),
    publish: withAct((input) => publish(host, input)),
    release: withAct((input) => release(host, input)),
  };
}
