import { setImmediate } from 'node:timers/promises';
import type { LLMResponse, MessageRecord, NewMessage, TurnRecord } from '../ports/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { agentMayAskFor } from '../policy/index.js';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import { newId } from '../turn/ids.js';
import { nextStep } from '../turn/next-step.js';
import { gateNeeds, gateProposal, saysWhoSigns } from '../call/gate.js';
import { isAsSeen, prepareProposal } from '../call/prepare.js';
import { writeProposal } from '../call/ask.js';
import { limitWaiting } from '../call/limit-waiting.js';
import type { PreparedCall } from '../evidence/prepared-call.js';
import {
  argumentsLimit,
  MAX_CALLS,
  parseCall,
  refreshTool,
  refuseExcess,
  refuseMasked,
  toToolCall,
  type ParsedCall,
} from '../call/parse.js';
import { dropRehearsal } from '../step/drop-rehearsal.js';
import { isHeld, markStarted } from '../call/start.js';
import { commit } from '../step/commit.js';
import type { CallPlace, Runtime, Step, StartedCall, Situation } from '../step/runtime.js';
import { resumeTurn, readSituation } from '../step/move-turn.js';

type ToolCallsResponse = Extract<LLMResponse, { type: 'tool_calls' }>;

/** A model's response with its provider and model. */
export interface ModelAnswer<Response extends LLMResponse> {
  messageId: string;
  response: Response;
  provider: string;
  model: string;
}

/** The state of a turn after its calls were written, and the calls to run now. */
export interface WrittenCalls {
  situation: Situation;
  started: readonly StartedCall[];
}

/**
 * Writes a model's calls (TURN1) in one step: the assistant message, and for each call an invocation with its gate result. Starts calls
 * that need no approval in the same step, because nothing can have changed since the gate. Undefined if the turn was lost.
 */
export async function handleToolCalls(
  runtime: Runtime,
  turn: TurnRecord,
  answer: ModelAnswer<ToolCallsResponse> & { place: CallPlace; snapshot: WorldSnapshot; signal: AbortSignal },
): Promise<WrittenCalls | undefined> {
  const { response, place, signal } = answer;
  const missing = await refreshTools(runtime, turn, answer);
  await maskLongTexts([response.content]);
  // Stopped or shutting down while a server was starting: write nothing.
  if (signal.aborted) return undefined;
  const calls = await parseCalls(runtime, turn, response);
  const { worldId, chatId, agentId, review } = turn;
  const setting = { worldId, chatId, agentId, place, isReview: review !== null, signal };
  const prepared = await Promise.all(
    calls.map(async (call) => {
      const problem = missing.get(call.toolName);
      return await prepareProposal(runtime, call, { ...setting, id: newId('call'), problem });
    }),
  );
  let written: WrittenCalls | undefined;
  try {
    written = signal.aborted ? undefined : await writeCalls(runtime, turn, answer, prepared);
    return written;
  } finally {
    if (written === undefined) {
      for (const { call, id, signed } of prepared) if (signed?.rehearsal) dropRehearsal(runtime, call.tool, id);
    }
  }
}

/** Lets others run in between: reading the calls of a hostile response takes long. */
async function parseCalls(
  runtime: Runtime,
  { worldId }: TurnRecord,
  { tool_calls: given }: ToolCallsResponse,
): Promise<ParsedCall[]> {
  const tools = runtime.tools(worldId);
  const left = argumentsLimit();
  const calls: ParsedCall[] = [];
  for (const [position, { function: called }] of given.entries()) {
    const { name, arguments: text } = called;
    if (position > 0 && text.length > LONG_TEXT) await setImmediate();
    calls.push(refuseExcess(refuseMasked(parseCall(tools.get(name), name, text, left)), position, given.length));
  }
  return calls;
}

const LONG_TEXT = 10_000;

async function writeCalls(
  runtime: Runtime,
  turn: TurnRecord,
  answer: ModelAnswer<ToolCallsResponse> & { snapshot: WorldSnapshot },
  prepared: readonly PreparedCall[],
): Promise<WrittenCalls | undefined> {
  const { response } = answer;
  const { agentId, chatId } = turn;
  const people = saysWhoSigns(answer.snapshot, agentId) ? { people: true } : {};
  const needs = { chats: [chatId], pendingOf: agentId, ...people, ...gateNeeds(prepared) };
  return await commit(runtime, 'tool-calls', turn.worldId, needs, (step) => {
    const { tx, snapshot } = step;
    if (tx.current(turn)?.state !== 'open') return undefined;
    const admit = limitWaiting(tx, agentId);
    const gated = prepared.map((call) => ({ call, gate: admit(gateProposal(step, call)) }));
    const vendorIds = response.tool_calls.map(({ id }) => id);
    const fields = { content: response.content, toolCalls: prepared.map(({ id, call }) => toToolCall(id, call)) };
    const message = answerMessage(step, turn, answer, fields, vendorIds);
    tx.write({ kind: 'model-answered', chatId, turnId: turn.id, usage: response.usage, message });
    const { messageId } = answer;
    for (const [position, { call, gate }] of gated.entries()) {
      writeProposal(runtime, step, call, gate, { turn, iteration: turn.iteration + 1, position, messageId });
    }
    const now = (): Situation => readSituation(tx, tx.turn(turn.id) ?? turn, snapshot);
    // `nextStep` processes settled results before it starts anything (TURN8).
    const next = nextStep(now());
    const due = next.kind === 'start' && isAsSeen(runtime, step, answer.snapshot, prepared) ? next.invocationIds : [];
    const started: StartedCall[] = [];
    for (const { call, gate } of gated) {
      const record = due.includes(call.id) ? tx.invocation(call.id) : undefined;
      if (record === undefined || gate.kind !== 'run' || isHeld(call)) continue;
      started.push(markStarted(runtime, step, turn, record, call, gate));
    }
    resumeTurn(runtime, step, turn.id);
    return { situation: now(), started };
  });
}

/** Why calls can't run, by tool name. Doesn't start servers for tools that the agent may not use. */
async function refreshTools(
  runtime: Runtime,
  { worldId, agentId, review }: TurnRecord,
  { response, snapshot, signal }: { response: ToolCallsResponse; snapshot: WorldSnapshot; signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  const missing = new Map<string, string>();
  if (runtime.sources.length === 0 || review !== null) return missing;
  const given = snapshot.agent(agentId)?.definition.tools ?? [];
  for (const name of new Set(response.tool_calls.slice(0, MAX_CALLS).map((call) => call.function.name))) {
    if (!agentMayAskFor(given, name)) continue;
    const trouble = await refreshTool(runtime, worldId, name, signal);
    if (trouble !== undefined) missing.set(name, trouble);
  }
  return missing;
}

/**
 * The message for an answer, with the id of its streamed chunks. Includes provider state, which is returned only to the same provider and model (MODEL1,
 * MODEL5).
 */
export function answerMessage(
  { tx }: Step,
  turn: TurnRecord,
  { messageId, response, provider, model }: ModelAnswer<LLMResponse>,
  message: Pick<NewMessage, 'content'> & Partial<Pick<NewMessage, 'addressees' | 'toolCalls'>>,
  vendorIds: readonly string[] = [],
): MessageRecord {
  const { usage, thinking, providerState: state } = response;
  return tx.newMessage(turn.chatId, {
    ...message,
    id: messageId,
    role: 'assistant',
    sender: turn.agentId,
    speaker: 'agent',
    agentId: turn.agentId,
    turnId: turn.id,
    iteration: turn.iteration + 1,
    replyTo: turn.triggerId,
    providerState: {
      provider,
      model,
      usage,
      ...(thinking === undefined ? {} : { thinking }),
      ...(state === undefined ? {} : { state }),
      vendorIds,
    },
  });
}
