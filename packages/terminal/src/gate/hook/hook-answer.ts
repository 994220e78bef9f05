import { isObject, type JsonObject } from '../json-text.js';
import type { HookAgent } from '../hook-agents.js';

/** The argument that marks an approved call for Gemini CLI's policy. */
export const PASS_ARGUMENT = 'countersign';

/** The input that an agent should run for approved arguments. For Gemini CLI it carries the pass, and a shell command is fetched by its id. */
export function inputToRun(
  agent: HookAgent,
  approved: JsonObject,
  { pass, exec }: { pass: string; exec: string },
): JsonObject {
  if (agent !== 'gemini') return approved;
  return { ...approved, ...(typeof approved['command'] === 'string' ? { command: exec } : {}), [PASS_ARGUMENT]: pass };
}

/** A yes, as the agent expects it on standard output. */
export function yesFor(
  agent: HookAgent,
  event: string,
  { input, tool, edited }: { input: JsonObject; tool: string; edited: boolean },
): string {
  switch (agent) {
    case 'claude':
      return JSON.stringify({
        hookSpecificOutput: {
          hookEventName: event,
          permissionDecision: 'allow',
          // It ignores a bare yes to a plan.
          ...(edited || tool === 'ExitPlanMode' ? { updatedInput: input } : {}),
        },
      });
    case 'codex':
      // Codex reports a plain yes as an error; for it, silence is a yes.
      return edited
        ? JSON.stringify({
            hookSpecificOutput: { hookEventName: event, permissionDecision: 'allow', updatedInput: input },
          })
        : '';
    case 'gemini':
      return JSON.stringify({ decision: 'allow', hookSpecificOutput: { hookEventName: event, tool_input: input } });
  }
}

/**
 * A denial for Claude Code, which shows a hook's command line to the model if the hook exits with 2. Undefined for agents that show only the
 * reason from standard error.
 */
export function denialFor(agent: HookAgent, event: string, reason: string): string | undefined {
  if (agent !== 'claude') return undefined;
  const decision =
    event === 'PermissionRequest'
      ? { decision: { behavior: 'deny', message: reason } }
      : { permissionDecision: 'deny', permissionDecisionReason: reason };
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...decision } });
}

/** A sentence for the agent: after a call beside its result, at the end of a turn as the reason to continue. Empty for agents without a gate. */
export function tellingFor(agent: HookAgent, event: string, text: string): string {
  if (agent === 'codex') return '';
  if (event === 'Stop') return JSON.stringify({ decision: 'block', reason: text });
  if (event === 'AfterAgent') return JSON.stringify({ decision: 'deny', reason: text });
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } });
}

/** The answer to Claude Code's PermissionRequest. */
export const CONFIRMED = JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
});

/** No yes: Claude Code ends, and runs the hook again for the same call when its session is resumed. */
export const DEFERRED = JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' },
});

/** Compares and hashes by content, whatever the order of the keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${fields.join(',')}}`;
}
