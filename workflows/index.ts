// Owns the entry of the workflow bundle: the workflow functions by name.
export { featureRun } from './feature-run.js';
