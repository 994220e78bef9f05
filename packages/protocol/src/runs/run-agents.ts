/** The agents that `countersign run` knows by name. */
export const RUN_AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type RunAgent = (typeof RUN_AGENTS)[number];
