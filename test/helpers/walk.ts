// Owns walking everything that a pure step function can reach. Must never know which machine it walks.

/** One step that was taken. */
export type Step<S, E> = { from: S; event: E; to: S };

/** How to walk: the events to try in a state, the step itself, and what makes two states the same. */
export type Walking<S, E> = { events: (state: S) => readonly E[]; advance: (state: S, event: E) => S; keyOf: (state: S) => string };

/** Most states that a walk may find; a counter without a bound ends there instead of walking for ever. */
const statesMax = 20_000;

/** Every state that the starts lead to, and every step between them. Throws when there is no end of states. */
export function walk<S, E>(starts: readonly S[], { events, advance, keyOf }: Walking<S, E>): { states: S[]; steps: Step<S, E>[] } {
  const found = new Map(starts.map((state) => [keyOf(state), state]));
  const steps: Step<S, E>[] = [];
  // A map is iterated in the order of insertion, those that are added meanwhile included.
  for (const from of found.values()) {
    for (const event of events(from)) {
      const to = advance(from, event);
      steps.push({ from, event, to });
      if (!found.has(keyOf(to))) found.set(keyOf(to), to);
    }
    if (found.size > statesMax) throw new Error(`expected at most ${statesMax} states, found more: something counts without a bound`);
  }
  return { states: [...found.values()], steps };
}

/** The keys of all states from which the steps lead to a goal, the goals themselves included. */
export function leadingTo<S, E>(steps: readonly Step<S, E>[], keyOf: (state: S) => string, isGoal: (state: S) => boolean): Set<string> {
  const sources = new Map<string, Set<string>>();
  const found = new Set<string>();
  for (const { from, to } of steps) {
    const [source, target] = [keyOf(from), keyOf(to)];
    sources.set(target, (sources.get(target) ?? new Set()).add(source));
    if (isGoal(from)) found.add(source);
    if (isGoal(to)) found.add(target);
  }
  for (const key of found) for (const source of sources.get(key) ?? []) found.add(source);
  return found;
}
