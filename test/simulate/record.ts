// Owns the laws over a whole ledger: what a run wrote down, read after it, must tell a story that is allowed.
import { type LedgerEntry, ledgerEntrySchema } from '../../machines/contract/ledger.js';
import { stageIndex } from '../../machines/contract/stage.js';
import type { People } from './people.js';
import type { World } from './world.js';

type Entry<K extends LedgerEntry['kind']> = Extract<LedgerEntry, { kind: K }>;

/** The ledger as a reader gets it: through text and, for a share of the runs, through its schema. */
export function readBack(world: World): LedgerEntry[] {
  const entries = world.isThorough ? world.ledger.map((entry) => JSON.parse(JSON.stringify(entry))) : world.ledger;
  return world.isThorough ? entries.map((entry) => ledgerEntrySchema.parse(entry)) : entries;
}

/** Holds the ledger against what was really done and asked for. */
export function checkRecord(world: World, people: People, isWritten: boolean): void {
  commands(world, people, isWritten);
  const walk = { index: -1, isAllowedAgain: true, isSettled: true, steps: 0 };
  for (const entry of world.ledger) {
    if (entry.kind === 'person.acted' && entry.command === 'resume' && entry.accepted) walk.isAllowedAgain = true;
    if (entry.kind === 'stage.dispatched') {
      const index = stageIndex(entry.stage);
      if (index < walk.index || (index === walk.index && !walk.isAllowedAgain))
        world.find('a settled stage is never redone', `${entry.stage} as step ${entry.step}`);
      if (entry.step !== walk.steps + 1) world.find('every stage uses up one step', `step ${entry.step} after ${walk.steps}`);
      Object.assign(walk, { index, isAllowedAgain: false, steps: entry.step });
    }
    if (entry.kind === 'stage.settled') settled(world, entry);
  }
}

function settled(world: World, { stage, step, ok, attempts, seq }: Entry<'stage.settled'>): void {
  const charged = world.processes.filter(({ at, role, charged: own }) => role === 'agent' && at.step === step && own).length;
  if (attempts > charged) world.find('only what the agent did is charged', `${attempts} attempts of step ${step}, ${charged} ends of its own doing`);
  if (!ok) return;
  if (attempts !== charged) world.find('every attempt is charged', `${attempts} attempts of step ${step}, ${charged} ends of its own doing`);
  const verdict = world.ledger.slice(0, seq).findLast((entry): entry is Entry<'verdict.reached'> => entry.kind === 'verdict.reached');
  const isPassed = verdict?.step === step && verdict.verdict.kind === 'pass' && world.commitOf(verdict.commit).passed.has(stage);
  if (!isPassed) world.find('unknown is never a pass', `step ${step} passed on ${verdict?.verdict.kind ?? 'no verdict'}`);
}

function commands(world: World, people: People, isWritten: boolean): void {
  const counts = new Map<string, number>();
  for (const entry of world.ledger) if (entry.kind === 'person.acted') counts.set(entry.id, (counts.get(entry.id) ?? 0) + 1);
  for (const [id, count] of counts) {
    if (count > 1) world.find('nobody’s signal counts twice', `${id} ${count} times`);
    if (!people.asked.has(id)) world.find('nobody’s signal counts twice', `${id} was never asked for`);
  }
  if (isWritten && counts.size < people.asked.size) world.find('nobody’s signal is lost', `${counts.size} of ${people.asked.size}`);
}
