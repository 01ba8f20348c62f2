// Owns a feature at its beginning: its id, its name and its first state. Pure; never asks the clock and never counts an id up.
import { basename } from 'node:path';
import type { FeatureState } from '../../machines/contract/state-file.js';

/** What a feature is made from: `now` is the wall clock, `name` any text, `designPath` relative to the repository, `id` the clock's unless a person chose one. */
export type NewFeature = { now: Date; name: string; designPath: string; id?: string | undefined };

/** A new feature. An id from the clock is a second of local time, so the caller that finds it taken asks again in the next second. */
export function newFeature({ now, name, designPath, id: given }: NewFeature): { id: string; state: FeatureState } {
  const id = given ?? idAt(now);
  const at = now.toISOString();
  const state: FeatureState = {
    feature_id: id,
    feature_name: kebab(name) || 'feature',
    created_at: at,
    current_stage: 'design',
    run_mode: 'interactive',
    history: [{ stage: 'design', done_at: at, produced: [designPath] }],
    last_phase_result: null,
    next_step: 'pdlc-tdd',
  };
  return { id, state };
}

/** A name for the feature of a design: its first heading, else its file's name. */
export function nameOfDesign(designPath: string, designText: string): string {
  const heading = /^#{1,6}[ \t]+(.*?)[ \t#]*$/m.exec(designText)?.[1] ?? '';
  return kebab(heading) || kebab(basename(designPath).replace(/\.[^.]+$/, ''));
}

/** The design document of a feature: the last one that its latest design stage produced, else its latest prd stage; null when neither names one. */
export function designOf(state: FeatureState): string | null {
  const producedBy = (stage: string) => (state.history ?? []).filter((entry) => entry.stage === stage).flatMap(({ produced }) => produced ?? []);
  return producedBy('design').at(-1) ?? producedBy('prd').at(-1) ?? null;
}

/** Longest feature name, in characters. */
const nameLengthMax = 60;

function idAt(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${String(now.getFullYear()).padStart(4, '0')}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `F${date}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}

function kebab(text: string): string {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [...words.join('-')].slice(0, nameLengthMax).join('').replace(/-$/, '');
}
