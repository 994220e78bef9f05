import {
  acpProgram,
  describeReason,
  defaultMessage,
  externalToolName,
  mapReason,
  type Question,
  type QuestionForm,
} from '@countersign/protocol';
import { checkToolApproval, type Gate, type GateGrant, type GateInput } from '../approval/check-tool-approval.js';
import { requesterOf, showNeeds } from '../approval/needed-signatures.js';
import { findReviewers, type Reviewer } from '../approval/reviewers.js';
import type { StepTransaction } from '../facts/step-transaction.js';
import { acpOf, isExternal, type WorldSnapshot } from '../memory/world-snapshot.js';
import { NO_RULES, type SigningRule, weigh } from '../policy/index.js';
import type { ApprovalRecord, StepNeeds, Tool, ToolPlace, InvocationRecord } from '../ports/index.js';
import { describeDifference } from './mcp-difference.js';
import type { JudgedCall, ReadCall } from './read-call.js';
import type { Card } from '../facts/fact.js';
import { fillMessage, maskArguments, maskSecrets, maskText, maskValue } from '../masking/index.js';
import { textOf } from '../ports/error-message.js';
import { capText } from '../results/index.js';
import { queueReviews } from '../step/move-turn.js';
import type { Runtime, Step } from '../step/runtime.js';
import { newId, REVIEW_CALL, turnId } from '../turn/ids.js';
import type { SignedCall } from './sign-call.js';
import { markNew, whatChanged } from './what-changed.js';

/** A grant expires when it hasn't been used for this long (A5). */
export const GRANT_LIFETIME_MS = 12 * 60 * 60 * 1000;

/** The data that a step must load to judge these calls. */
export function gateNeeds(calls: readonly JudgedCall[]): Required<Pick<StepNeeds, 'calls' | 'mcpTools' | 'asker'>> {
  const pinned = calls.filter(({ call }) => call.tool?.pin !== undefined);
  return { calls: calls.map(({ keys }) => keys), mcpTools: pinned.map(({ call }) => call.toolName), asker: true };
}

/** The data that the gate reads in its step. */
type GateReads = Pick<StepTransaction, 'now' | 'grants' | 'outcomeUnknown' | 'mcpTool' | 'hasAsker'>;

/** Gate input that isn't stored. */
interface GateMore {
  decision?: GateInput['decision'];
  /** A grant that doesn't exist yet, to preview what it would cover. */
  hypothetical?: GateGrant | undefined;
}

/** Runs the gate (A2) on a call, with the data it needs from the caller's step. */
export function gateCall(
  tx: GateReads,
  snapshot: WorldSnapshot,
  { call, agentId, place, policyCall, keys, isReview }: JudgedCall,
  { decision, hypothetical }: GateMore = {},
): Gate {
  if (isReview === true) return gateReview(call, policyCall);
  const grants = agentId === undefined ? [] : tx.grants(keys, tx.now() - GRANT_LIFETIME_MS);
  const changed = changeOf(tx, call.tool);
  return checkToolApproval({
    call: policyCall,
    // Trust applies only to the definition that a person accepted.
    tool: offered(
      changed === undefined || call.tool === undefined ? call.tool : { ...call.tool, trusted: false },
      agentId === undefined || isExternal(snapshot, agentId) || acpOf(snapshot, agentId) !== undefined,
    ),
    ...(changed === undefined ? {} : { changed }),
    agent: agentOf(snapshot, agentId),
    world: { mode: snapshot.world.settings.mode, policy: snapshot.policy },
    admin: snapshot.adminPolicy,
    grants: [
      ...grants.map((grant) => ({
        id: grant.id,
        ...(grant.folder === null ? {} : { folder: grant.folder }),
        ...(grant.pattern === null ? {} : { pattern: grant.pattern }),
        ...(grant.answeredRule === null ? {} : { answeredRule: grant.answeredRule }),
      })),
      ...(hypothetical === undefined ? [] : [hypothetical]),
    ],
    decision,
    contained: isContained(call, place) && place.grants?.anyHost !== true,
    outcomeUnknown: keys.chatId !== '' && tx.outcomeUnknown(keys),
    unattended: isUnattended(tx, snapshot),
  });
}

/** `review_call` exists only in a turn that reviews a call, and the tools of other programs only for external and ACP agents (A55, A59). */
function offered<T extends Pick<Tool, 'definition' | 'external'>>(
  tool: T | undefined,
  hasExternal: boolean,
): T | undefined {
  if (tool?.external === true && !hasExternal) return undefined;
  return tool?.definition.name === REVIEW_CALL ? undefined : tool;
}

/**
 * In a turn that reviews a call, `review_call` runs and nothing else does (A50). Rules don't apply to it: the rule that names the agent allows it,
 * and a review that needed a review would never end.
 */
function gateReview({ tool }: ReadCall, policyCall: JudgedCall['policyCall']): Gate {
  return checkToolApproval({
    call: policyCall,
    tool,
    agent: { tools: [REVIEW_CALL], policy: NO_RULES },
    world: { mode: 'ask', policy: NO_RULES },
    grants: [],
    decision: undefined,
    contained: false,
    outcomeUnknown: false,
  });
}

/** The agents that these rules name to review a call, in the current step. */
export function reviewersFor(
  { tx, snapshot }: Step,
  { agentId, messageId }: Pick<ApprovalRecord, 'agentId' | 'messageId'>,
  rules: readonly SigningRule[],
): readonly Reviewer[] {
  return findReviewers(rules, agentId, snapshot.agents, (id) => tx.turn(turnId(messageId, id)) !== undefined);
}

/** Whether a rule for this agent says who must sign. A step that asks for approval then shows who can. */
export function saysWhoSigns(snapshot: WorldSnapshot, agentId: string): boolean {
  const policies = [snapshot.policy, snapshot.adminPolicy, snapshot.agentPolicy(agentId)];
  return policies.some(({ signing }) => signing.length > 0);
}

/** The rules that say who must sign this call now. */
export function signingRulesOf(snapshot: WorldSnapshot, { agentId, policyCall }: JudgedCall): readonly SigningRule[] {
  const { policy: world, adminPolicy: admin } = snapshot;
  const agent = agentOf(snapshot, agentId).policy;
  if (world.signing.length + admin.signing.length + agent.signing.length === 0) return [];
  return weigh({ admin, world, agent }, policyCall).signing;
}

/**
 * Whether one person's signature may not be enough for this call under the current rules. Also true if a rule says who must sign and the call can't be
 * judged, or is denied and therefore judged no further.
 */
export function mayNeedSigners(snapshot: WorldSnapshot, agentId: string, judged: JudgedCall | undefined): boolean {
  if (!saysWhoSigns(snapshot, agentId)) return false;
  if (judged === undefined) return true;
  const { policy: world, adminPolicy: admin } = snapshot;
  const { signing, deny } = weigh({ admin, world, agent: snapshot.agentPolicy(agentId) }, judged.policyCall);
  return signing.length > 0 || deny !== undefined;
}

/** Compares a server's current tool definition with the accepted one (A1). */
function changeOf(tx: GateReads, tool: Tool | undefined): string | undefined {
  if (tool?.pin === undefined) return undefined;
  const known = tx.mcpTool(tool.definition.name);
  if (known === undefined) return 'nobody has accepted it yet';
  if (known.acceptedDigest === tool.pin) return undefined;
  return describeDifference(known) ?? 'it differs from the stored definition';
}

function agentOf(snapshot: WorldSnapshot, agentId: string | undefined): GateInput['agent'] {
  if (agentId === undefined) return { tools: ['*'], policy: NO_RULES };
  const agent = snapshot.agent(agentId)?.definition;
  const acp = acpOf(snapshot, agentId);
  // Deactivating an agent that runs its calls itself denies its waiting calls in a later step (A55.7).
  const isStopped = agent?.active !== true && (isExternal(snapshot, agentId) || acp !== undefined);
  // The program of an ACP agent has its own tools, which nobody lists.
  const own = acp === undefined ? [] : [externalToolName(acpProgram(acp), '*')];
  return { tools: isStopped ? [] : [...(agent?.tools ?? []), ...own], policy: snapshot.agentPolicy(agentId) };
}

/** Whether the tool reports the call as contained. False for untrusted tools (A1) and if the tool throws. */
function isContained({ tool, arguments: args }: ReadCall, { workingDirectory }: ToolPlace): boolean {
  if (tool?.contained === undefined || !tool.trusted || !args.ok) return false;
  try {
    const contained: unknown = tool.contained(args.value, { workingDirectory });
    // Anything but `true`, such as a promise, counts as false.
    return contained === true;
  } catch {
    return false;
  }
}

/** The reason for denying a call that needs approval when no client can ask a person. */
export const UNATTENDED = describeReason({ code: 'unattended' });

/** Whether to deny calls that need approval: the world is set to do so, and no client that can ask a person is connected (A13). */
export function isUnattended(tx: Pick<StepTransaction, 'hasAsker'>, { world }: WorldSnapshot): boolean {
  return world.settings.unattended === 'deny' && !tx.hasAsker();
}

/** The maximum number of calls per response. More would flood the queue and the transcript (T1). */
export const MAX_CALLS = 64;
/** The maximum number of waiting calls per agent, across all its chats (A34). */
const MAX_WAITING = 200;
/** The number of chats that an error message names. */
const MAX_NAMED = 3;

/** Rejects calls beyond the per-response limit, with an error for the model. */
export function refuseExcess(call: ReadCall, position: number, calls: number): ReadCall {
  if (position < MAX_CALLS) return call;
  const error = `Nothing ran. A response may contain at most ${MAX_CALLS} tool calls, but this one had ${calls}. Make the remaining calls in your next responses.`;
  return { ...call, arguments: { ok: false, error } };
}

/**
 * Admits calls to the queue until it is full. Further calls fail instead of running without approval (A17). The store rejects the step if concurrent
 * responses by the same agent in other chats have filled the queue.
 */
export function limitWaiting(tx: StepTransaction, agentId: string): (gate: Gate) => Gate {
  let room: number | undefined;
  return (gate) => {
    if (gate.kind !== 'ask') return gate;
    room ??= roomFor(tx, agentId);
    if (room <= 0)
      return { kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem: describeFull(tx, agentId) } };
    room -= 1;
    tx.limitPending(agentId, MAX_WAITING);
    return gate;
  };
}

/** Whether another call of this agent may wait for approval. */
export function hasRoom(tx: Pick<StepTransaction, 'pendingOf'>, agentId: string): boolean {
  return roomFor(tx, agentId) > 0;
}

function roomFor(tx: Pick<StepTransaction, 'pendingOf'>, agentId: string): number {
  return MAX_WAITING - tx.pendingOf(agentId).reduce((total, { waiting }) => total + waiting, 0);
}

/** Lists chats by id: a title may come from a model, and the model in another chat reads this text. */
function describeFull(tx: StepTransaction, agentId: string): string {
  const fullest = tx.pendingOf(agentId).slice(0, MAX_NAMED);
  const named = fullest.map(({ chatId, waiting }) => `${chatId} (${waiting})`).join(', ');
  return (
    `Nothing ran. ${MAX_WAITING} of your calls are already waiting for approval, most of them in the chats ${named}. ` +
    'Wait until a person has decided on some of them.'
  );
}

type Ask = Extract<Gate, { kind: 'ask' }>;

/** Asks people to approve a call or, with `question`, to answer a question. */
export function askApproval(
  runtime: Runtime,
  step: Step,
  approvalId: string,
  invocation: InvocationRecord,
  asked: { tool: Tool | undefined; gate: Ask; signed: SignedCall | undefined; question?: Question | undefined },
): void {
  const { tool, signed } = asked;
  if (tool === undefined || signed === undefined) throw new Error("a call that can't be signed can't be approved");
  const { callHash, workingDirectory, sandbox, preview, rehearsal } = signed;
  const { value: shown, secrets } = maskArguments(invocation.arguments);
  const { reason, options, session, rule, proposedRule, signing: rules } = withoutSecrets(asked.gate, secrets);
  const signing = rules === undefined ? null : { rules, signed: [] };
  const turn = step.tx.turn(invocation.turnId);
  const { agentId } = invocation;
  const reviewers = findReviewers(rules ?? [], agentId, step.snapshot.agents, () => true);
  const { toolName } = invocation;
  const about = { requester: requesterOf(turn), people: step.tx.signers(), toolName, reviewers };
  // Untrusted tools must not write text on the approval card (A1).
  const template = tool.trusted ? tool.definition.approval?.message : undefined;
  const words = asked.question === undefined ? undefined : showQuestion(asked.question, secrets);
  writeRehearsal(step, invocation, signed);
  requestApproval(step, approvalId, invocation, {
    message: words?.text ?? fillMessage(template ?? defaultMessage(tool.definition.name), shown),
    options,
    callHash,
    workingDirectory,
    sandbox,
    preview,
    rehearsal,
    question: words === undefined ? null : { ...words, raisedBy: 'call' },
    session: session ?? null,
    proposedRule: proposedRule ?? null,
    reason,
    rule: rule ?? null,
    signing,
    needs: signing === null ? null : showNeeds(signing, about),
  });
  const approval = step.tx.approval(approvalId);
  const able = reviewers.filter(({ problem }) => problem === undefined).map(({ id }) => id);
  if (approval !== undefined) queueReviews(runtime, step, approval, able, turn?.requester ?? null);
}

/** Records that a call was rehearsed, before the event that the rehearsal led to. */
export function writeRehearsal(step: Step, { id: callId, chatId }: InvocationRecord, signed?: SignedCall): void {
  const { rehearsal = null } = signed ?? {};
  if (rehearsal?.ms !== undefined) step.tx.write({ kind: 'call-rehearsed', chatId, callId, rehearsal });
}

/**
 * Requests approval again if the call, its folder, the files it would overwrite or the rules changed since it was shown or approved, or if too few
 * of its signatures still count.
 */
export function askAgain(
  runtime: Runtime,
  step: Step,
  invocation: InvocationRecord,
  { tool }: ReadCall,
  gate: Ask,
  signed: SignedCall,
  changedSince: 'shown' | 'approved' | 'signed' = invocation.status === 'asked' ? 'shown' : 'approved',
): void {
  const before = invocation.approvalId === null ? undefined : step.tx.approval(invocation.approvalId);
  const changed = before === undefined || changedSince === 'signed' ? {} : { changed: whatChanged(before, signed) };
  const reason = invocation.callHash === null ? gate.reason : { ...gate.reason, changedSince, ...changed };
  const marked = before === undefined ? signed : markNew(before, signed);
  askApproval(runtime, step, newId('approval'), invocation, { tool, gate: { ...gate, reason }, signed: marked });
}

/** Shows an approval card to people, with the world's deadline. */
export function requestApproval(
  { tx, snapshot }: Step,
  approvalId: string,
  { id: callId, chatId }: InvocationRecord,
  card: Card,
): void {
  const timeout = snapshot.world.settings.approvalTimeoutMs;
  const expiresAt = timeout === undefined ? null : tx.now() + timeout;
  tx.write({ kind: 'approval-requested', chatId, callId, approvalId, card, expiresAt });
}

/**
 * Masks the reason, which may quote the call, a rule or a tool's error. A proposed rule or pattern that contains a secret is dropped (A15);
 * a person can still write one.
 */
function withoutSecrets(gate: Ask, secrets: readonly string[]): Ask {
  const reason = mapReason(gate.reason, (text) => maskText(text, { alreadyKnown: secrets }).value);
  const tells = (text: string | undefined): boolean =>
    text !== undefined && (secrets.some((secret) => text.includes(secret)) || maskSecrets(text) !== text);
  const { proposedRule, session, options, ...rest } = gate;
  const dropsRule = tells(proposedRule);
  const dropsPattern = tells(session?.pattern);
  const offer = dropsPattern ? (session?.any === true ? { any: true } : undefined) : session;
  const dropped = new Set([
    ...(dropsRule ? ['approve_always'] : []),
    ...(offer === undefined ? ['approve_session'] : []),
  ]);
  return {
    ...rest,
    reason,
    options: options.filter((option) => !dropped.has(option)),
    ...(offer === undefined ? {} : { session: offer }),
    ...(proposedRule === undefined || dropsRule ? {} : { proposedRule }),
  };
}

/** Limits for the text on a card. */
const TEXT_LIMIT_BYTES = 16 * 1024;
const CHOICE_LIMIT_BYTES = 1024;
const MAX_CHOICES = 50;

/** A mask in a form would be sent back as a value, so a form with a mask is dropped and only the text is shown. */
function isPlain(form: QuestionForm, known: { alreadyKnown: readonly string[] }): boolean {
  const text = JSON.stringify(form);
  return text.length <= TEXT_LIMIT_BYTES && JSON.stringify(maskValue(form, known).value) === text;
}

/** A question as shown to people: truncated, and masked like a call's arguments. */
export function showQuestion({ text, choices, form }: Question, secrets: readonly string[]): Question {
  const known = { alreadyKnown: secrets };
  const shown = (part: unknown, limit: number): string => {
    const { value } = maskValue(capText(textOf(part), limit), known);
    return textOf(value);
  };
  return {
    text: shown(text, TEXT_LIMIT_BYTES),
    choices: (choices ?? []).slice(0, MAX_CHOICES).map((choice) => shown(choice, CHOICE_LIMIT_BYTES)),
    ...(form === undefined || !isPlain(form, known) ? {} : { form }),
  };
}
