// Owns the names by which the outside talks to a run: workflow type, queues, signals, the query, search attributes. The CLI's only door to workflows.
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { LimitsConfig } from '../machines/contract/limits.js';
import type { Report } from '../machines/contract/report.js';

/** Type name of the workflow of one feature. */
export const featureRunType = 'featureRun';
/** Queue of workflow tasks, served by every worker. */
export const workflowQueue = 'pdlc';
/** Queue of one host's activities; a worktree lives on one host. */
export const hostQueue = (hostId: string): string => `pdlc-host-${hostId}`;

/** Every command of a person carries an id; a repeated id changes nothing. */
export type WithId = { id: string };
/** `reseal`: the tests as they are in the kept tree become the seal. */
export type Resume = WithId & { reseal: boolean };
/** One limit, set absolutely or raised by an amount (`relative`); durations in ms. */
export type Extension = { key: keyof LimitsConfig; value: number; relative: boolean };

/** Goes on from a waiting state. */
export const resumeSignal = defineSignal<[Resume]>('resume');
/** Waits after the attempt under way. */
export const pauseSignal = defineSignal<[WithId]>('pause');
/** Ends the run at its next decision, with a reason. */
export const abortSignal = defineSignal<[WithId & { reason: string }]>('abort');
/** Adds words to the next prompts of the stage. */
export const noteSignal = defineSignal<[WithId & { text: string }]>('note');
/** Sets limits anew. */
export const extendSignal = defineSignal<[WithId & { extensions: Extension[] }]>('extend');
/** Answers whether changed dependencies are allowed. */
export const chooseSignal = defineSignal<[WithId & { allow: boolean }]>('choose');

/** The live report of a run (`pdlc.run/1`). */
export const reportQuery = defineQuery<Report>('report');

/** Search attribute: the feature. */
export const featureIdAttribute = defineSearchAttributeKey('PdlcFeatureId', SearchAttributeType.KEYWORD);
/** Search attribute: the stage under way, or the last one. */
export const stageAttribute = defineSearchAttributeKey('PdlcStage', SearchAttributeType.KEYWORD);
/** Search attribute: the state, as of the last stage begun or stop. */
export const stateAttribute = defineSearchAttributeKey('PdlcState', SearchAttributeType.KEYWORD);
