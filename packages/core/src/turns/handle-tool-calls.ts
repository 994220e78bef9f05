import type { Question, ToolCall } from '@countersign/protocol';
import type { InvocationRecord, LLMResponse, MessageRecord, NewMessage, TurnRecord } from '../ports/index.js';
import type { Gate } from '../approval/check-tool-approval.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { maskArguments, refusePlaceholder } from '../masking/index.js';
import { agentMayAskFor } from '../policy/index.js';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import { firstApprovalId, newId } from '../turn/ids.js';
import { nextStep } from '../turn/next-step.js';
import {
  askApproval,
  gateCall,
  gateNeeds,
  isUnattended,
  limitWaiting,
  MAX_CALLS,
  refuseExcess,
  saysWhoSigns,
  writeRehearsal,
} from '../calls/gate-call.js';
import { judgeCall, readCall, type JudgedCall, type ReadCall, refreshTool } from '../calls/read-call.js';
import { refuseCall } from '../calls/settle-call.js';
import { dropRehearsal } from '../step/drop-rehearsal.js';
import { signAndRehearse } from '../calls/rehearse-call.js';
import type { SignedCall } from '../calls/sign-call.js';
import { startCall } from '../calls/start-call.js';
import { commit } from '../step/commit.js';
import type { Place, Runtime, Step, Started, Situation } from '../step/runtime.js';
import { resumeTurn, readSituation } from '../step/move-turn.js';
import { errorMessage } from '../ports/error-message.js';

type ToolCallsResponse = Extract<LLMResponse, { type: 'tool_calls' }>;

/** A model's response with its provider and model. */
export interface ModelAnswer<Response extends LLMResponse> {
  messageId: string;
  response: Response;
  provider: string;
  model: string;
}

/** A parsed call before it is written, signed in case it needs approval. */
interface Proposed {
  id: string;
  vendorId: string;
  judged: JudgedCall;
  /** Absent if something that the signature covers couldn't be read. Such a call can't be approved either. */
  signed: SignedCall | undefined;
  trouble: string | undefined;
  /** The question, if the call is one. */
  question: Question | undefined;
}

/** The state of a turn after its calls were written, and the calls to run now. */
export interface WrittenCalls {
  situation: Situation;
  started: readonly Started[];
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
  const tools = runtime.tools(turn.worldId);
  const proposed = await Promise.all(
    response.tool_calls.map(
      async ({ id, function: { name, arguments: text } }, position, { length }): Promise<Proposed> => {
        const call = refuseExcess(refuseMasked(readCall(tools.get(name), name, text)), position, length);
        const callId = newId('call');
        const signed = await sign(runtime, turn, call, { id: callId, place, trouble: missing.get(name), signal });
        return { id: callId, vendorId: id, ...signed, ...readQuestion(call, signed.trouble) };
      },
    ),
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

async function writeCalls(
  runtime: Runtime,
  turn: TurnRecord,
  answer: ModelAnswer<ToolCallsResponse> & { snapshot: WorldSnapshot },
  proposed: readonly Proposed[],
): Promise<WrittenCalls | undefined> {
  const { response } = answer;
  const { agentId, chatId } = turn;
  const people = saysWhoSigns(answer.snapshot, agentId) ? { people: true } : {};
  const needs = { chats: [chatId], pendingOf: agentId, ...people, ...gateNeeds(proposed.map(({ judged }) => judged)) };
  return await commit(runtime, 'tool-calls', turn.worldId, needs, (step) => {
    const { tx, snapshot } = step;
    if (tx.current(turn)?.state !== 'open') return undefined;
    const admit = limitWaiting(tx, agentId);
    const gated = proposed.map((proposal) => ({ proposal, gate: admit(judge(step, proposal)) }));
    const vendorIds = proposed.map(({ vendorId }) => vendorId);
    const fields = { content: response.content, toolCalls: proposed.map(toToolCall) };
    const message = answerMessage(step, turn, answer, fields, vendorIds);
    tx.write({ kind: 'model-answered', chatId, turnId: turn.id, usage: response.usage, message });
    for (const [position, { proposal, gate }] of gated.entries()) {
      propose(runtime, step, toInvocation(step, turn, answer.messageId, proposal, gate, position), proposal, gate);
    }
    const now = (): Situation => readSituation(tx, tx.turn(turn.id) ?? turn, snapshot);
    // `nextStep` processes settled results before it starts anything (T8).
    const next = nextStep(now());
    const due = next.kind === 'start' && isAsSeen(runtime, step, answer.snapshot, proposed) ? next.invocationIds : [];
    const started: Started[] = [];
    for (const { proposal, gate } of gated) {
      const invocation = due.includes(proposal.id) ? tx.invocation(proposal.id) : undefined;
      if (invocation === undefined || gate.kind !== 'run') continue;
      started.push(startCall(runtime, step, turn, invocation, proposal, gate));
    }
    resumeTurn(runtime, step, turn.id);
    return { situation: now(), started };
  });
}

function toToolCall({ id, judged: { call } }: Proposed): ToolCall {
  return { id, type: 'function', function: { name: call.toolName, arguments: call.argumentsText } };
}

const UNREADABLE =
  "The arguments contain more than 20,000 control characters, invisible characters or long runs of whitespace, so people can't read them. " +
  'Nothing ran. Use escape sequences, or split the text into smaller parts.';

/** Rejects a mask in a model's arguments: the tool would use it as the value. Only people can send one back (A15). */
function refuseMasked(call: ReadCall): ReadCall {
  if (!call.arguments.ok) return call;
  const unreadable = maskArguments(call.argumentsText).isWhole ? undefined : UNREADABLE;
  const error = refusePlaceholder(call.argumentsText) ?? unreadable;
  return error === undefined ? call : { ...call, arguments: { ok: false, error } };
}

/** False if the world or a tool changed since the calls were parsed. Each call is then parsed again before it starts. */
function isAsSeen(runtime: Runtime, step: Step, seen: WorldSnapshot, proposed: readonly Proposed[]): boolean {
  if (step.snapshot.world.rev !== seen.world.rev) return false;
  const tools = runtime.tools(seen.world.id);
  return proposed.every(({ judged: { call } }) => tools.get(call.toolName) === call.tool);
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

async function sign(
  runtime: Runtime,
  turn: TurnRecord,
  call: ReadCall,
  about: { id: string; place: Place; trouble: string | undefined; signal: AbortSignal },
): Promise<Pick<Proposed, 'judged' | 'signed' | 'trouble'>> {
  const { worldId, chatId, agentId } = turn;
  const { id, place, signal } = about;
  const setting = { worldId, chatId, agentId, id, place, isReview: turn.review !== null };
  let { trouble } = about;
  try {
    if (trouble === undefined) {
      const signed = await signAndRehearse(runtime, call, { ...setting, wasAsked: false, signal });
      return { ...signed, trouble };
    }
  } catch (error) {
    trouble = `could not determine what this call would change: ${errorMessage(error)}`;
  }
  return { judged: judgeCall(call, { ...setting, seen: [] }), signed: undefined, trouble };
}

/** Ignores questions from untrusted tools (A1), because third-party text would look like ours. */
function readQuestion(
  { tool, arguments: args }: ReadCall,
  trouble: string | undefined,
): Pick<Proposed, 'question' | 'trouble'> {
  if (tool?.question === undefined || !tool.trusted || !args.ok) return { question: undefined, trouble };
  try {
    return { question: tool.question(args.value), trouble };
  } catch (error) {
    return { question: undefined, trouble: `the question is invalid: ${errorMessage(error)}` };
  }
}

function judge(step: Step, proposal: Proposed): Gate {
  const gate = gateCall(step.tx, step.snapshot, proposal.judged);
  if (gate.kind === 'refuse') return gate;
  if (proposal.trouble !== undefined)
    return { kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem: proposal.trouble } };
  // Ask the question regardless of rules: the only effect is the person's answer.
  if (proposal.question === undefined) return gate;
  return isUnattended(step.tx, step.snapshot)
    ? { kind: 'refuse', how: 'deny', reason: { code: 'unattended' } }
    : { kind: 'ask', reason: { code: 'question' }, options: ['deny'] };
}

function toInvocation(
  step: Step,
  turn: TurnRecord,
  messageId: string,
  { id, judged: { call }, signed }: Proposed,
  gate: Gate,
  position: number,
): InvocationRecord {
  const { tool } = call;
  const trusted = tool?.trusted === true ? tool.definition : undefined;
  return {
    id,
    worldId: turn.worldId,
    chatId: turn.chatId,
    agentId: turn.agentId,
    turnId: turn.id,
    iteration: turn.iteration + 1,
    position,
    messageId,
    toolName: call.toolName,
    arguments: call.argumentsText,
    edited: false,
    callHash: gate.kind === 'ask' ? (signed?.callHash ?? null) : null,
    status: gate.kind === 'ask' ? 'asked' : 'approved',
    location: tool?.definition.location ?? 'server',
    readOnly: trusted?.readOnly ?? false,
    idempotent: trusted?.idempotent ?? false,
    approvalId: gate.kind === 'ask' ? firstApprovalId(id) : null,
    startedEpoch: null,
    result: null,
    outcomeUnknown: false,
    createdAt: step.tx.now(),
    startedAt: null,
    settledAt: null,
  };
}

function propose(
  runtime: Runtime,
  step: Step,
  call: InvocationRecord,
  { judged, signed, question }: Proposed,
  gate: Gate,
): void {
  step.tx.write({ kind: 'call-proposed', call });
  if (gate.kind === 'refuse') {
    writeRehearsal(step, call, signed);
    refuseCall(runtime, step, call, gate);
  }
  if (gate.kind !== 'ask') return;
  const { tool } = judged.call;
  askApproval(runtime, step, firstApprovalId(call.id), call, { tool, gate, signed, question });
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
