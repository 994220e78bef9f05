import { setImmediate } from 'node:timers/promises';
import type { LLMResponse, MessageRecord, NewMessage, TurnRecord } from '../ports/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { agentMayAskFor } from '../policy/index.js';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import { newId } from '../turn/ids.js';
import { nextStep } from '../turn/next-step.js';
import { gateNeeds, saysWhoSigns } from '../call/gate.js';
import { limitWaiting } from '../call/ask.js';
import {
  isAsSeen,
  judgeProposed,
  refuseMasked,
  signProposed,
  toToolCall,
  writeProposed,
  type Proposed,
} from '../call/prepare.js';
import { argumentsLimit, parseCall, refreshTool, type ParsedCall, MAX_CALLS, refuseExcess } from '../call/parse.js';
import { dropRehearsal } from '../step/drop-rehearsal.js';
import { isHeld, markStarted } from '../call/start.js';
import { commit } from '../step/commit.js';
import type { Place, Runtime, Step, StartedCall, Situation } from '../step/runtime.js';
import { resumeTurn, readSituation } from '../step/move-turn.js';

type ToolCallsResponse = Extract<LLMResponse, { type: 'tool_calls' }>;

/** A model's response with its provider and model. */
export interface ModelAnswer<Response extends LLMResponse> {
  messageId: string;
  response: Response;
  provider: string;
  model: string;
}

interface ProposedByModel extends Proposed {
  vendorId: string;
}

/** The state of a turn after its calls were written, and the calls to run now. */
export interface WrittenCalls {
  situation: Situation;
  started: readonly StartedCall[];
}

/**
 * Writes a model's calls (T1) in one step: the assistant message, and for each call an invocation with its gate result. Starts calls
 * that need no approval in the same step, because nothing can have changed since the gate. Undefined if the turn was lost.
 */
export async function handleToolCalls(
  runtime: Runtime,
  turn: TurnRecord,
  answer: ModelAnswer<ToolCallsResponse> & { place: Place; snapshot: WorldSnapshot; signal: AbortSignal },
): Promise<WrittenCalls | undefined> {
  const { response, place, signal } = answer;
  const missing = await refreshTools(runtime, turn, answer);
  await maskLongTexts([response.content]);
  // Stopped or shutting down while a server was starting: write nothing.
  if (signal.aborted) return undefined;
  const calls = await readCalls(runtime, turn, response);
  const proposed = await Promise.all(
    calls.map(async ({ vendorId, call }): Promise<ProposedByModel> => {
      const about = { id: newId('call'), place, trouble: missing.get(call.toolName), signal };
      return { vendorId, ...(await signProposed(runtime, turn, call, about)) };
    }),
  );
  const rehearsed = proposed.filter(({ signed }) => signed !== undefined && signed.rehearsal !== null);
  let written: WrittenCalls | undefined;
  try {
    written = signal.aborted ? undefined : await writeCalls(runtime, turn, answer, proposed);
    return written;
  } finally {
    if (written === undefined) for (const { judged, id } of rehearsed) dropRehearsal(runtime, judged.call.tool, id);
  }
}

/** Lets others run in between: reading the calls of a hostile response takes long. */
async function readCalls(
  runtime: Runtime,
  { worldId }: TurnRecord,
  { tool_calls: given }: ToolCallsResponse,
): Promise<{ vendorId: string; call: ParsedCall }[]> {
  const tools = runtime.tools(worldId);
  const left = argumentsLimit();
  const calls: { vendorId: string; call: ParsedCall }[] = [];
  for (const [
    position,
    {
      id: vendorId,
      function: { name, arguments: text },
    },
  ] of given.entries()) {
    if (position > 0 && text.length > LONG_TEXT) await setImmediate();
    const call = refuseExcess(refuseMasked(parseCall(tools.get(name), name, text, left)), position, given.length);
    calls.push({ vendorId, call });
  }
  return calls;
}

const LONG_TEXT = 10_000;

async function writeCalls(
  runtime: Runtime,
  turn: TurnRecord,
  answer: ModelAnswer<ToolCallsResponse> & { snapshot: WorldSnapshot },
  proposed: readonly ProposedByModel[],
): Promise<WrittenCalls | undefined> {
  const { response } = answer;
  const { agentId, chatId } = turn;
  const people = saysWhoSigns(answer.snapshot, agentId) ? { people: true } : {};
  const needs = { chats: [chatId], pendingOf: agentId, ...people, ...gateNeeds(proposed.map(({ judged }) => judged)) };
  return await commit(runtime, 'tool-calls', turn.worldId, needs, (step) => {
    const { tx, snapshot } = step;
    if (tx.current(turn)?.state !== 'open') return undefined;
    const admit = limitWaiting(tx, agentId);
    const gated = proposed.map((proposal) => ({ proposal, gate: admit(judgeProposed(step, proposal)) }));
    const vendorIds = proposed.map(({ vendorId }) => vendorId);
    const fields = { content: response.content, toolCalls: proposed.map(toToolCall) };
    const message = answerMessage(step, turn, answer, fields, vendorIds);
    tx.write({ kind: 'model-answered', chatId, turnId: turn.id, usage: response.usage, message });
    for (const [position, { proposal, gate }] of gated.entries()) {
      const { messageId } = answer;
      writeProposed(runtime, step, proposal, gate, { turn, iteration: turn.iteration + 1, position, messageId });
    }
    const now = (): Situation => readSituation(tx, tx.turn(turn.id) ?? turn, snapshot);
    // `nextStep` processes settled results before it starts anything (T8).
    const next = nextStep(now());
    const due = next.kind === 'start' && isAsSeen(runtime, step, answer.snapshot, proposed) ? next.invocationIds : [];
    const started: StartedCall[] = [];
    for (const { proposal, gate } of gated) {
      const invocation = due.includes(proposal.id) ? tx.invocation(proposal.id) : undefined;
      if (invocation === undefined || gate.kind !== 'run' || isHeld(proposal.judged.call, proposal.signed)) continue;
      started.push(markStarted(runtime, step, turn, invocation, proposal, gate));
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
 * The message for an answer, with the id of its streamed chunks. Includes provider state, which is returned only to the same provider and model (P1,
 * P5).
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
