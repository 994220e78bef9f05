import type { LLMResponse, InvocationRecord, TurnRecord } from '../ports/index.js';
import type { Gate } from '../approval/index.js';
import { maskSecrets } from '../masking/index.js';
import { firstApprovalId, newId } from '../turn/ids.js';
import { nextStep } from '../turn/next-step.js';
import { askApproval } from './ask-approval.js';
import { gateCall, readCall, signCall, type ReadCall, type SignedCall } from './gate-call.js';
import { commit, type Place, type Runtime, type Step } from './runtime.js';
import { settleInvocation } from './settle-invocation.js';
import { auditOf } from './tool-events.js';
import { noteActivity } from './turn-lifecycle.js';
import { wordsOf } from './words-of.js';
import { writeTurnMessage } from './write-message.js';

type ToolCallsResponse = Extract<LLMResponse, { type: 'tool_calls' }>;

/** A call of the answer before it is written: read, and signed in case it must be asked. */
interface Proposed {
  id: string;
  vendorId: string;
  call: ReadCall;
  /** Absent when what it depends on could not be read; then it can't be asked either. */
  signed: SignedCall | undefined;
  trouble: string | undefined;
}

/**
 * Writes a model's calls (T1): the assistant message, an invocation each, put through the gate, with the questions and the
 * refusals that follow, in one transaction.
 */
export async function handleToolCalls(
  runtime: Runtime,
  turn: TurnRecord,
  answer: { messageId: string; response: ToolCallsResponse; provider: string; model: string; place: Place },
): Promise<void> {
  const { response, place } = answer;
  const tools = runtime.tools(turn.worldId);
  const proposed = await Promise.all(
    response.tool_calls.map(async ({ id, function: { name, arguments: text } }): Promise<Proposed> => {
      const call = readCall(tools.get(name), name, text);
      const signed = await sign(runtime, turn, call, place);
      return { id: newId('call'), vendorId: id, call, ...signed };
    }),
  );
  await commit(runtime, 'tool-calls', turn.worldId, async (step) => {
    const iteration = turn.iteration + 1;
    const decided = [];
    for (const [position, proposal] of proposed.entries()) {
      const gate = await judge(step, turn, proposal, place);
      decided.push({
        proposal,
        gate,
        invocation: toInvocation(step, turn, answer.messageId, proposal, gate, position),
      });
    }
    const chat = await step.tx.chat(turn.chatId);
    const situation = {
      turn: { ...turn, iteration },
      invocations: decided.map(({ invocation, gate }) => ({
        ...invocation,
        status: gate.kind === 'refuse' ? ('denied' as const) : invocation.status,
      })),
      limits: step.snapshot.world.settings,
    };
    const waits = nextStep(situation).kind === 'wait';
    const kept = await step.tx.stepTurn(turn, {
      iteration,
      inputTokens: turn.inputTokens + response.usage.inputTokens,
      outputTokens: turn.outputTokens + response.usage.outputTokens,
      ...(waits ? { state: 'waiting' as const } : {}),
    });
    if (!kept) return;
    await writeTurnMessage(step, turn, iteration, {
      id: answer.messageId,
      role: 'assistant',
      sender: turn.agentId,
      speaker: 'agent',
      content: response.content,
      replyTo: turn.triggerId,
      toolCalls: proposed.map(({ id, call }) => ({
        id,
        type: 'function',
        function: { name: call.toolName, arguments: call.argumentsText },
      })),
      providerState: {
        provider: answer.provider,
        model: answer.model,
        usage: response.usage,
        ...(response.providerState === undefined ? {} : { state: response.providerState }),
        vendorIds: proposed.map(({ vendorId }) => vendorId),
      },
    });
    for (const { proposal, gate, invocation } of decided) await write(runtime, step, proposal, gate, invocation);
    if (waits && chat !== undefined) await noteActivity(runtime, step, chat);
  });
}

async function sign(
  runtime: Runtime,
  turn: TurnRecord,
  call: ReadCall,
  place: Place,
): Promise<{ signed: SignedCall | undefined; trouble: string | undefined }> {
  try {
    const signed = await signCall(runtime, call, { agentId: turn.agentId, chatId: turn.chatId, place });
    return { signed, trouble: undefined };
  } catch (error) {
    return { signed: undefined, trouble: `what this call would change could not be read: ${wordsOf(error)}` };
  }
}

async function judge(step: Step, turn: TurnRecord, proposal: Proposed, place: Place): Promise<Gate> {
  const gate = await gateCall(step.tx, step.snapshot, proposal.call, {
    agentId: turn.agentId,
    chatId: turn.chatId,
    place,
    decision: undefined,
  });
  if (gate.kind !== 'ask' || proposal.trouble === undefined) return gate;
  return { kind: 'refuse', how: 'fail', reason: proposal.trouble };
}

function toInvocation(
  step: Step,
  turn: TurnRecord,
  messageId: string,
  { id, call, signed }: Proposed,
  gate: Gate,
  position: number,
): InvocationRecord {
  const { tool } = call;
  const told = tool?.trusted === true ? tool.definition : undefined;
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
    readOnly: told?.readOnly ?? false,
    idempotent: told?.idempotent ?? false,
    approvalId: gate.kind === 'ask' ? firstApprovalId(id) : null,
    startedEpoch: null,
    result: null,
    outcomeUnknown: false,
    createdAt: step.tx.now(),
    startedAt: null,
    settledAt: null,
  };
}

async function write(
  runtime: Runtime,
  step: Step,
  { call, signed }: Proposed,
  gate: Gate,
  invocation: InvocationRecord,
): Promise<void> {
  await step.tx.insertInvocation(invocation);
  switch (gate.kind) {
    case 'run':
      return;
    case 'ask': {
      const { approvalId } = invocation;
      if (call.tool === undefined || approvalId === null || signed === undefined) {
        throw new Error('a call that can not be signed must not be asked');
      }
      await askApproval(runtime, step, { approvalId, invocation, tool: call.tool, gate, signed });
      return;
    }
    case 'refuse':
      await refuse(runtime, step, invocation, gate);
  }
}

/** Refused by the gate: `fail` for a call that can't run (T11), `deny` for one that a rule or the mode forbids. */
export async function refuse(
  runtime: Runtime,
  step: Step,
  invocation: InvocationRecord,
  gate: Extract<Gate, { kind: 'refuse' }>,
): Promise<void> {
  if (gate.how === 'fail') {
    await settleInvocation(runtime, step, invocation, { kind: 'refused', error: gate.reason });
    return;
  }
  step.tx.record({
    kind: 'refusal',
    ...auditOf(invocation),
    why: maskSecrets(gate.reason),
    ...(gate.rule === undefined ? {} : { rule: maskSecrets(gate.rule) }),
  });
  await settleInvocation(runtime, step, invocation, {
    kind: 'denied',
    error: `The call of ${invocation.toolName} is not allowed`,
    reason: gate.reason,
  });
}
