/** Agents with hooks. `gate install` refuses those that no mode of theirs makes fail closed. */
export const HOOK_AGENTS = ['claude', 'codex', 'gemini'] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];
export type GatedAgent = Exclude<HookAgent, 'codex'>;
