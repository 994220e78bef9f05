import {
  CountersignError,
  RESERVED_TOOL_PREFIX,
  settleEnd,
  type CoveredCall,
  type PolicyMatch,
  type ToolCall,
} from '@countersign/protocol';
import { shownEffect } from '../facts/approvals.js';
import { maskArguments } from '../masking/index.js';
import type { MessageRecord } from '../ports/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { compileStored, endedText, parseRule, ruleMatches } from '../policy/index.js';
import { placeOfMessage } from '../step/place.js';
import { parseCall } from '../call/parse.js';
import { toPolicyCall } from '../evidence/prepared-call.js';
import { chatIn } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { readWorld } from '../worlds/show-world.js';
import { findCovered } from '../decisions/waiting-calls.js';

/** How many messages to search and how many calls to show: enough for a card. */
const MESSAGES = 500;
const MAX = 20;

/** An earlier call in a chat that a rule would match. Arguments are masked. */
export interface MatchedCall {
  /** The id of the call. */
  toolCallId: string;
  /** The agent that made the call. */
  agentId: string;
  /** The tool that was called. */
  toolName: string;
  /** The arguments, masked. */
  arguments: unknown;
}

/**
 * The earlier calls in a chat that a rule would match, newest first. They show what else a person would have approved with "always". Several
 * rules, one per line, are combined.
 */
export async function matchesInChat(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  rule: string,
): Promise<{ calls: MatchedCall[]; more: boolean }> {
  const rules = await readRules(runtime, rule);
  const found = await readWorld(runtime, worldId, async (reader, snapshot) => {
    chatIn(await reader.chat(chatId), worldId, chatId);
    return { snapshot, messages: await reader.lastMessages(chatId, { limit: MESSAGES }) };
  });
  const place = runtime.findPlace(found.snapshot);
  const tools = runtime.tools(worldId);
  const matches = ({ function: { name, arguments: text } }: ToolCall, from: MessageRecord): boolean => {
    if (name.startsWith(RESERVED_TOOL_PREFIX)) return false;
    const call = parseCall(tools.get(name), name, text);
    return call.arguments.ok && ruleMatches(rules, toPolicyCall(call, placeOfMessage(place, from)));
  };
  const calls: MatchedCall[] = [];
  for (const message of found.messages.toReversed()) {
    const { agentId, toolCalls } = message;
    for (const call of toolCalls?.toReversed() ?? []) {
      if (agentId === null || !matches(call, message)) continue;
      if (calls.length === MAX) return { calls, more: true };
      const { name, arguments: text } = call.function;
      calls.push({ toolCallId: call.id, agentId, toolName: name, arguments: maskArguments(text).value });
    }
  }
  return { calls, more: false };
}

/** The calls that would run immediately if this rule or grant were added (CALL5). Changes nothing. */
export async function coveredCalls(
  runtime: Runtime,
  worldId: string,
  { chatId, rule, grant }: PolicyMatch,
): Promise<CoveredCall[]> {
  const rules = rule === undefined ? [] : await readRules(runtime, rule);
  if (chatId !== undefined)
    await readWorld(runtime, worldId, async (reader) => chatIn(await reader.chat(chatId), worldId, chatId));
  const supposed =
    grant === undefined ? { withRules: withRules(rules) } : { grant, ...(chatId === undefined ? {} : { chatId }) };
  const covered = await findCovered(runtime, worldId, supposed);
  return covered.map(({ approval, invocation }) => ({
    approvalId: approval.id,
    chatId: approval.chatId,
    toolCallId: invocation.id,
    agentId: invocation.agentId,
    toolName: invocation.toolName,
    arguments: maskArguments(invocation.arguments).value,
    ...(approval.preview === null ? {} : { preview: approval.preview }),
    ...shownEffect(approval),
  }));
}

function withRules(rules: readonly string[]): (snapshot: WorldSnapshot) => WorldSnapshot {
  return (snapshot) => {
    const { lines, ended } = snapshot.policy;
    return { ...snapshot, policy: compileStored([...lines.filter((line) => !ended.includes(line)), ...rules]) };
  };
}

/** One rule per line. Those that have ended match nothing. */
async function readRules({ store }: Pick<Runtime, 'store'>, text: string): Promise<readonly string[]> {
  const now = await store.read(async (reader) => reader.now());
  const lines = text.split('\n').map((line) => settleEnd(line, now));
  return lines.filter((line) => {
    const parsed = parseRule(line);
    if (parsed.ok) return endedText(parsed.rule, now) === undefined;
    throw new CountersignError('invalid', `rule: ${parsed.error} (at character ${parsed.position + 1})`, {
      field: 'rule',
    });
  });
}
