import type { Question, ToolCall } from '@countersign/protocol';
import type { Gate } from '../policy/check-tool-approval.js';
import { maskArguments, refusePlaceholder } from '../masking/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { CallRecord, RunBy, TurnRecord } from '../ports/index.js';
import { errorMessage } from '../ports/error-message.js';
import type { Place, Runtime, Step } from '../step/runtime.js';
import { firstApprovalId } from '../turn/ids.js';
import { gateCall, isUnattended } from './gate.js';
import { askApproval, writeRehearsal } from './ask.js';
import { judgeCall, type JudgedCall } from '../evidence/subjects.js';
import type { ParsedCall } from './parse.js';
import { signAndRehearse } from './rehearse-call.js';
import { refuseCall } from './settle.js';
import type { SignedCall } from '../evidence/sign-call.js';

/** A parsed call before it is written, signed in case it needs approval. */
export interface Proposed {
  id: string;
  judged: JudgedCall;
  /** Absent if something that the signature covers couldn't be read. Such a call can't be approved either. */
  signed: SignedCall | undefined;
  trouble: string | undefined;
  /** The question, if the call is one. */
  question: Question | undefined;
}

export function toToolCall({ id, judged: { call } }: Proposed): ToolCall {
  return { id, type: 'function', function: { name: call.toolName, arguments: call.argumentsText } };
}

const UNREADABLE =
  "The arguments contain more than 20,000 control characters, invisible characters or long runs of whitespace, so people can't read them. " +
  'Nothing ran. Use escape sequences, or split the text into smaller parts.';

/** Rejects a mask in the arguments of a model or a program: the tool would use it as the value. Only people can send one back (A15). */
export function refuseMasked(call: ParsedCall): ParsedCall {
  if (!call.arguments.ok) return call;
  const unreadable = maskArguments(call.argumentsText).isWhole ? undefined : UNREADABLE;
  const error = refusePlaceholder(call.argumentsText) ?? unreadable;
  return error === undefined ? call : { ...call, arguments: { ok: false, error } };
}

/** Signs a call in case it needs approval, before the step that writes it. */
export async function signProposed(
  runtime: Runtime,
  turn: Pick<TurnRecord, 'worldId' | 'chatId' | 'agentId' | 'review'>,
  call: ParsedCall,
  about: { id: string; place: Place; trouble: string | undefined; signal: AbortSignal },
): Promise<Proposed> {
  const signed = await sign(runtime, turn, call, about);
  return { id: about.id, ...signed, ...readQuestion(call, signed.trouble) };
}

async function sign(
  runtime: Runtime,
  turn: Pick<TurnRecord, 'worldId' | 'chatId' | 'agentId' | 'review'>,
  call: ParsedCall,
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

function readQuestion(
  { tool, arguments: args }: ParsedCall,
  trouble: string | undefined,
): Pick<Proposed, 'question' | 'trouble'> {
  if (tool?.claims?.question === undefined || !args.ok) return { question: undefined, trouble };
  try {
    return { question: tool.claims.question(args.value), trouble };
  } catch (error) {
    return { question: undefined, trouble: `the question is invalid: ${errorMessage(error)}` };
  }
}

/** The gate's verdict on a proposed call. */
export function judgeProposed(step: Step, proposal: Proposed): Gate {
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

/** False if the world or a tool changed since the calls were parsed. Each call is then parsed again before it starts. */
export function isAsSeen(runtime: Runtime, step: Step, seen: WorldSnapshot, proposed: readonly Proposed[]): boolean {
  if (step.snapshot.world.rev !== seen.world.rev) return false;
  const tools = runtime.tools(seen.world.id);
  return proposed.every(({ judged: { call } }) => tools.get(call.toolName) === call.tool);
}

/** The place of a call: its turn, its message and its position in it, and who runs it. */
interface CallSlot {
  turn: Pick<TurnRecord, 'id' | 'worldId' | 'chatId' | 'agentId'>;
  iteration: number;
  position: number;
  messageId: string;
  runBy?: RunBy;
}

/** Writes a call and, if the gate asks, its approval. The only place that proposes a call. */
export function writeProposed(
  runtime: Runtime,
  step: Step,
  { id, judged, signed, question }: Proposed,
  gate: Gate,
  { turn, iteration, position, messageId, runBy }: CallSlot,
): void {
  const { tool, toolName, argumentsText } = judged.call;
  const call: CallRecord = {
    id,
    worldId: turn.worldId,
    chatId: turn.chatId,
    agentId: turn.agentId,
    turnId: turn.id,
    iteration,
    position,
    messageId,
    toolName,
    arguments: argumentsText,
    edited: false,
    callHash: gate.kind === 'ask' ? (signed?.callHash ?? null) : null,
    status: gate.kind === 'ask' ? 'asked' : 'approved',
    runBy: runBy ?? (tool?.definition.location === 'client' ? 'client' : 'here'),
    readOnly: tool?.claims?.readOnly ?? false,
    idempotent: tool?.claims?.idempotent ?? false,
    approvalId: gate.kind === 'ask' ? firstApprovalId(id) : null,
    startedEpoch: null,
    result: null,
    outcomeUnknown: false,
    createdAt: step.tx.now(),
    startedAt: null,
    settledAt: null,
  };
  step.tx.write({ kind: 'call-proposed', call });
  if (gate.kind === 'refuse') {
    writeRehearsal(step, call, signed);
    refuseCall(runtime, step, call, gate);
  }
  if (gate.kind !== 'ask') return;
  askApproval(runtime, step, firstApprovalId(call.id), call, { tool, gate, signed, question });
}
