import { CountersignError, EXTERNAL_PROVIDER, readWho, SYSTEM, type Timeline, type Who } from '@countersign/protocol';
import { isPartOf, type ApprovalRecord, type CallRecord, type MessageRecord, type TurnRecord } from '../ports/index.js';
import { hasPrediction } from '../facts/approvals.js';
import { isApprovalId } from '../turn/ids.js';
import type { Runtime } from '../step/runtime.js';
import { readChat } from '../worlds/show-world.js';

type Span = Timeline['spans'][number];

/** How a turn spent its time: model calls, tools, and waiting for people. `id` may be one of its tool turns (TURN3). */
export async function turnTimeline(runtime: Runtime, worldId: string, chatId: string, id: string): Promise<Timeline> {
  return await readChat(runtime, worldId, chatId, async (reader, chat) => {
    const turn = (await reader.turn(id)) ?? (await reader.turn(id.replace(/\.\d+$/, '')));
    if (turn === undefined || !isPartOf(chat, { chatId: turn.chatId, seq: turn.triggerSeq })) {
      throw new CountersignError('not-found', `There is no turn "${id}" in this chat.`);
    }
    const messages = await reader.messagesOfTurn(turn.id);
    const approvals: ApprovalRecord[] = [];
    for (const approvalId of messages.flatMap(({ toolCalls }) => (toolCalls ?? []).map((call) => call.id))) {
      const approval = isApprovalId(approvalId) ? await reader.approval(approvalId) : undefined;
      if (approval !== undefined) approvals.push(approval);
    }
    const calls: CallRecord[] = [];
    for (let iteration = 1; iteration <= turn.iteration; iteration += 1) {
      calls.push(...(await reader.invocations(turn.id, iteration)));
    }
    return toTimeline(turn, messages, calls, approvals);
  });
}

function toTimeline(
  turn: TurnRecord,
  messages: readonly MessageRecord[],
  calls: readonly CallRecord[],
  approvals: readonly ApprovalRecord[],
): Timeline {
  const models = modelSpans(turn, messages, calls);
  const iterations = Math.max(models.length, turn.iteration);
  // Built per iteration, so that spans with the same time stay in order.
  const spans = Array.from({ length: iterations }, (_, index): Span[] => {
    const of = calls.filter(({ iteration }) => iteration === index + 1);
    const asked = approvals.filter(({ invocationId }) => of.some(({ id }) => id === invocationId));
    return [
      ...models.slice(index, index + 1),
      ...rehearsalSpans(turn, asked),
      ...waitingSpans(asked),
      ...toolSpans(of),
    ];
  }).flat();
  return {
    turnId: turn.id,
    agentId: turn.agentId,
    startedAt: iso(turn.createdAt),
    ...(turn.endedAt === null ? {} : { endedAt: iso(turn.endedAt) }),
    inputTokens: turn.inputTokens,
    outputTokens: turn.outputTokens,
    ...(turn.microdollars === null ? {} : { microdollars: turn.microdollars }),
    spans: spans.sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0)),
  };
}

/** The model is called when the turn starts, and again after all calls in its last response have settled (TURN5). */
function modelSpans(turn: TurnRecord, messages: readonly MessageRecord[], calls: readonly CallRecord[]): Span[] {
  const isOutside = messages.some(({ providerState }) => providerState?.provider === EXTERNAL_PROVIDER);
  if (isOutside) return [];
  const answers = messages.filter(({ providerState }) => providerState !== null);
  const asked = (index: number): number | undefined => {
    if (index === 0) return turn.createdAt;
    const before = calls.filter(({ iteration }) => iteration === index);
    if (before.some(({ settledAt }) => settledAt === null)) return undefined;
    return Math.max(answers[index - 1]?.createdAt ?? 0, ...before.map(({ settledAt }) => settledAt ?? 0));
  };
  const spans = answers.map(({ providerState, createdAt }, index): Span => ({
    kind: 'model',
    label: providerState?.model ?? '',
    startedAt: iso(Math.min(asked(index) ?? createdAt, createdAt)),
    endedAt: iso(createdAt),
    outcome: calls.some(({ iteration }) => iteration === index + 1) ? 'calls' : 'answer',
  }));
  const next = asked(answers.length);
  if (turn.state !== 'open' || next === undefined) return spans;
  return [...spans, { kind: 'model', label: 'model', startedAt: iso(next) }];
}

/** A rehearsal ends when approval is requested. Its length is from another clock, so it must not seem to start before the turn. */
function rehearsalSpans(turn: TurnRecord, approvals: readonly ApprovalRecord[]): Span[] {
  return approvals.flatMap(({ toolName, requestedAt, rehearsal, claimed }): Span[] => {
    const ran = hasPrediction(claimed) ? claimed : rehearsal;
    if (ran?.ms === undefined) return [];
    const outcome = 'noEffect' in ran ? ran.noEffect.reason : 'effect' in ran ? 'rehearsed' : 'predicted';
    return [
      {
        kind: 'rehearsal',
        label: toolName,
        startedAt: iso(Math.max(turn.createdAt, requestedAt - ran.ms)),
        endedAt: iso(requestedAt),
        outcome,
      },
    ];
  });
}

function waitingSpans(approvals: readonly ApprovalRecord[]): Span[] {
  return approvals.map(({ toolName, requestedAt, decidedAt, decidedBy, status, signing }) => ({
    kind: 'waiting',
    label: toolName,
    startedAt: iso(requestedAt),
    ...(decidedAt === null ? {} : { endedAt: iso(decidedAt), outcome: status }),
    ...whoDecided(decidedBy),
    ...(status === 'approved' && decidedBy !== null ? whoSigned(signing, readWho(decidedBy)) : {}),
  }));
}

function whoDecided(decidedBy: string | null): Pick<Span, 'who'> {
  const who = decidedBy === null ? SYSTEM : readWho(decidedBy);
  return who.kind === 'system' ? {} : { who };
}

/** The last signature is the decision. Without a rule about signers, it is the only one, and not in the list. */
function whoSigned(signing: ApprovalRecord['signing'], last: Who): Pick<Span, 'signers'> {
  const all = (signing?.signed ?? []).map(({ who, for: principal }) =>
    principal === undefined ? who : { ...who, for: principal },
  );
  const before = all.filter(({ id }) => id !== last.id);
  const decider = all.findLast(({ id }) => id === last.id) ?? last;
  return before.length === 0 && !('for' in decider) ? {} : { signers: [...before, decider] };
}

function toolSpans(calls: readonly CallRecord[]): Span[] {
  return calls.flatMap(({ toolName, startedAt, settledAt, status, outcomeUnknown }): Span[] => {
    if (startedAt === null) return [];
    const end =
      settledAt === null ? {} : { endedAt: iso(settledAt), outcome: outcomeUnknown ? 'outcome unknown' : status };
    return [{ kind: 'tool', label: toolName, startedAt: iso(startedAt), ...end }];
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
