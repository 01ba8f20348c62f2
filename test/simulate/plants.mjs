// Owns the planted defects: one small change each to the code of the workflow, the machines or the world, which the simulation must find.

/** Quickly found ones first. By name: in `file`, `from` becomes `to`. */
export const plants = {
  'a lost attempt is charged': {
    file: 'machines/contract/attempt.ts',
    from: "!['lost', 'cancelled',",
    to: "!['cancelled',",
  },
  'a fact that could not be written is dropped': {
    file: 'workflows/settle.ts',
    from: 'const entries = [...live.pending];',
    to: 'const entries = live.pending.splice(0);',
  },
  'a repeated command counts again': {
    file: 'workflows/command.ts',
    from: 'if (live.seen.includes(id)) return;',
    to: '',
  },
  'an unknown verdict is a pass': {
    file: 'machines/stage-memory.ts',
    from: 'fact: verdict.kind,',
    to: "fact: verdict.kind === 'unknown' ? 'pass' : verdict.kind,",
  },
  'a repeated attempt has the id of the one before': {
    file: 'machines/contract/activities.ts',
    from: 'at.tries > 0 ?',
    to: 'at.tries < 0 ?',
  },
  'chance decides in the workflow': {
    file: 'workflows/feature-run.ts',
    from: 'const entry = stage ===',
    to: 'const entry = Math.random() < 0.1 || stage ===',
  },
  'the work of a stage that was stopped is published': {
    file: 'workflows/settle.ts',
    from: 'const tip = ok && candidate ?',
    to: 'const tip = candidate ?',
  },
  'an agent outlives its run': {
    file: 'test/simulate/host.ts',
    from: 'if (task.process && !world.results.has(keyOf(task))) world.end(task.process, null);',
    to: '',
  },
  'unknown cost is zero': {
    file: 'machines/contract/usage.ts',
    from: 'usdUnknown: spend.usdUnknown + (usage.usd === null ? 1 : 0),',
    to: 'usdUnknown: spend.usdUnknown,',
  },
  'an agent whose act failed cost nothing': {
    file: 'machines/contract/report.ts',
    from: "return entry.act === 'agent' ||",
    to: 'return false &&',
  },
  'the budget is not looked at after an agent': {
    file: 'machines/stage.ts',
    from: "{ guard: 'budgetBreached', target: 'paused', actions: 'explainBreach' },",
    to: '',
  },
  'the step cap is one higher': {
    file: 'machines/run.ts',
    from: 'context.steps >= context.stepsMax',
    to: 'context.steps > context.stepsMax',
  },
  'a cancellation keeps the end from being written': {
    file: 'workflows/feature-run.ts',
    from: 'await CancellationScope.nonCancellable(() => release(live));',
    to: 'await release(live);',
  },
  'what is asked while the ledger is written waits': {
    file: 'workflows/feature-run.ts',
    from: 'const told = ()',
    to: '({ commands } = live);\n    const told = ()',
  },
  'command ids are forgotten by continue-as-new': {
    file: 'workflows/live.ts',
    from: 'return { ...carried, clock:',
    to: 'return { ...carried, seen: [], clock:',
  },
  'an agent is begun again when its capture fails': {
    file: 'workflows/perform.ts',
    from: 'live.work?.ended ?? (await runAgent(live, at, state))',
    to: 'await runAgent(live, at, state)',
  },
  'a state file may lead back': {
    file: 'machines/run.ts',
    from: 'stageIndex(next.stage) <= stageIndex(stage)',
    to: 'stageIndex(next.stage) < 0',
  },
  'done needs no review': {
    file: 'machines/run.ts',
    from: "next.kind === 'done' && stage !== 'review'",
    to: "next.kind === 'done' && stage === null",
  },
  'the time before continue-as-new does not count': {
    file: 'workflows/feature-run.ts',
    from: 'live.activeMs += Date.now() - live.clock.startedMs;',
    to: 'if (!isLong()) live.activeMs += Date.now() - live.clock.startedMs;',
  },
  'a note that nobody has read is dropped': {
    file: 'workflows/settle.ts',
    from: 'if (ok) live.notes = live.notes.slice(live.notesGiven);',
    to: 'if (ok) live.notes = [];',
  },
};
