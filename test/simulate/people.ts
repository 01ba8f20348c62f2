// Owns the persons of a simulated run: what they ask for, at any moment and again with the same id, and what they have asked for so far.
import type { Report } from '../../machines/contract/report.js';
import type { Chance } from './chance.js';
import type { Job } from './execution.js';

/** Commands after which persons leave a run alone. */
const commandsMax = 14;

type Kind = 'resume' | 'pause' | 'abort' | 'note' | 'extend' | 'choose';

/** Everybody who asks a run for something. */
export class People {
  /** What was asked for, by id; the words are a note's. */
  readonly asked = new Map<string, { kind: Kind; words: string }>();
  private repeat: Job | null = null;

  constructor(private readonly chance: Chance) {}

  /** Whether nobody cares any more about a run that waits. */
  isDone(): boolean {
    return this.asked.size >= commandsMax || this.chance.once(3);
  }

  /** Something, whatever the run does now. */
  whim(): Job[] {
    if (this.asked.size >= commandsMax || this.chance.once(9)) return [{ kind: 'cancel' }];
    return this.ask(this.chance.pick(['resume', 'pause', 'pause', 'note', 'note', 'extend', 'extend', 'choose', 'abort']));
  }

  /** What leads a waiting run on. */
  leadOn({ state, reason }: Report): Job[] {
    if (this.chance.once(8)) return this.whim();
    if (state === 'capped') return this.ask('extend');
    if (state === 'awaiting_choice') return this.ask('choose');
    if (state === 'paused' && reason?.startsWith('budget')) return this.ask('extend');
    return this.ask('resume');
  }

  /** A command that was sent a second time, if one was, because its first sender heard nothing. */
  doubled(): Job[] {
    const job = this.repeat;
    this.repeat = null;
    return job ? [job] : [];
  }

  private ask(kind: Kind): Job[] {
    const id = `c${this.asked.size + 1}`;
    const words = `words of ${id}`;
    this.asked.set(id, { kind, words });
    const job: Job = { kind: 'signal', name: kind, args: [{ id, ...this.detailsOf(kind, words) }] };
    if (this.chance.once(6)) this.repeat = job;
    return this.chance.once(6) ? [job, job] : [job];
  }

  private detailsOf(kind: Kind, words: string): object {
    const { chance } = this;
    if (kind === 'resume') return { reseal: chance.once(5) };
    if (kind === 'abort') return { reason: 'enough' };
    if (kind === 'note') return { text: words };
    if (kind === 'choose') return { allow: chance.below(3) > 0 };
    const options = [
      { key: 'usd', value: 30, relative: true },
      { key: 'steps', value: 1, relative: true },
      { key: 'tokens', value: 50_000, relative: true },
      { key: 'attempts', value: 1, relative: true },
      { key: 'deadline', value: 3_600_000, relative: true },
      { key: 'usdPerAttempt', value: 9, relative: false },
    ];
    const extensions = kind === 'extend' ? [chance.pick(options), chance.pick(options), ...options.slice(0, 2)] : [];
    return kind === 'extend' ? { extensions: chance.once(2) ? extensions : extensions.slice(0, 1) } : {};
  }
}
