import type { CallContext } from '@countersign/protocol';
import { gateHook } from '../../words/gate.js';
import { isObject, type JsonObject } from '../json-text.js';
import type { HookAgent } from '../hook-agents.js';
import type { SessionHints } from './read-context.js';

/** One run of the hook, in the same form for every agent. */
export type HookInput = { readonly session: string; readonly event: string; readonly cwd?: string } & (
  | {
      readonly kind: 'propose';
      readonly tool: string;
      readonly input: JsonObject;
      readonly key?: string;
      readonly hints: SessionHints;
    }
  /** Claude Code asks again for a call that was just allowed. */
  | { readonly kind: 'confirm'; readonly tool: string; readonly input: JsonObject }
  | {
      readonly kind: 'report';
      readonly tool: string;
      readonly input: JsonObject;
      readonly key?: string;
      readonly result: { content: string } | { error: string };
      /** A sub-agent made the call. */
      readonly isSubagent: boolean;
    }
  /** The agent gets a prompt, would end its turn, or a sub-agent starts or ends. */
  | { readonly kind: 'step'; readonly context: CallContext }
  | { readonly kind: 'end' }
);

const KINDS: Readonly<Record<string, HookInput['kind']>> = {
  PreToolUse: 'propose',
  BeforeTool: 'propose',
  PermissionRequest: 'confirm',
  PostToolUse: 'report',
  PostToolUseFailure: 'report',
  AfterTool: 'report',
  UserPromptSubmit: 'step',
  BeforeAgent: 'step',
  Stop: 'step',
  AfterAgent: 'step',
  SubagentStart: 'step',
  SubagentStop: 'step',
  SessionEnd: 'end',
};
/** The server accepts more, but nobody reads it. */
const LONGEST_RESULT = 100_000;
const LONGEST_CLAIM = 4_000;

/** Throws if the input isn't what this agent sends. */
export function parseHookInput(agent: HookAgent, text: string): HookInput {
  const given: unknown = JSON.parse(text);
  if (!isObject(given)) throw new Error(gateHook.notAnObject);
  const event = wordAt(given, 'hook_event_name');
  const session = wordAt(given, 'session_id');
  const kind = KINDS[event];
  // Codex asks this only if it needs approval itself. Silence leaves it to its own question.
  if (kind === undefined || (kind === 'confirm' && agent !== 'claude')) throw new Error(gateHook.unknownEvent(event));
  const cwd = given['cwd'];
  const common = { session, event, ...(typeof cwd === 'string' && cwd.startsWith('/') ? { cwd } : {}) };
  if (kind === 'end') return { ...common, kind };
  if (kind === 'step') return { ...common, kind, context: contextOf(event, given) };
  const tool = wordAt(given, 'tool_name');
  const input = given['tool_input'] ?? {};
  if (!isObject(input)) throw new Error(gateHook.badInput);
  if (kind === 'confirm') return { ...common, kind, tool, input };
  const id = given['tool_use_id'];
  const key = typeof id === 'string' && id !== '' ? { key: id } : {};
  if (kind === 'propose') return { ...common, kind, tool, input, ...key, hints: hintsOf(given) };
  const isSubagent = hintsOf(given).subagent !== undefined;
  return { ...common, kind, tool, input, ...key, result: resultOf(given), isSubagent };
}

/** What people see of a step: the agent's claim. `AfterAgent` repeats the prompt. */
function contextOf(event: string, given: JsonObject): CallContext {
  const { subagent } = hintsOf(given);
  const cut = (text: unknown): string | undefined =>
    typeof text === 'string' && text.trim() !== '' ? text.slice(0, LONGEST_CLAIM) : undefined;
  const prompt = event === 'AfterAgent' ? undefined : cut(given['prompt']);
  const said = cut(given['last_assistant_message'] ?? given['prompt_response']);
  return {
    ...(prompt === undefined ? {} : { prompt }),
    ...(said === undefined ? {} : { said }),
    ...(subagent === undefined ? {} : { subagent: subagent.slice(0, 200) }),
  };
}

/** Only for people, so what isn't there is left out. */
function hintsOf({ transcript_path: transcript, agent_id: id, agent_type: type }: JsonObject): SessionHints {
  const name = typeof type === 'string' && type !== '' ? type : id;
  return {
    ...(typeof transcript === 'string' ? { transcript } : {}),
    ...(typeof id === 'string' && typeof name === 'string' ? { subagent: name } : {}),
  };
}

function resultOf(given: JsonObject): { content: string } | { error: string } {
  const response = given['tool_response'];
  const error = given['error'] ?? (isObject(response) ? response['error'] : undefined);
  if (typeof error === 'string' && error !== '') return { error: error.slice(0, LONGEST_RESULT) };
  const content = typeof response === 'string' ? response : JSON.stringify(response ?? '');
  return { content: content.slice(0, LONGEST_RESULT) };
}

function wordAt(given: JsonObject, key: string): string {
  const value = given[key];
  if (typeof value !== 'string' || value === '') throw new Error(gateHook.missing(key));
  return value;
}
