// Owns the names of the local stack's namespace and search attributes. Kept apart from what uses them, so that the fast path loads no client.

/** The namespace in which every run lives. */
export const namespaceName = 'pdlc';

/** The search attributes of a run, all of them keywords. */
export const searchAttributes = ['PdlcFeatureId', 'PdlcStage', 'PdlcState'] as const;
