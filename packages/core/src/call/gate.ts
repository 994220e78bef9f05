import { acpProgram, describeReason, externalToolName } from '@countersign/protocol';
import { checkToolApproval, type Gate, type GateGrant, type GateInput } from '../policy/check-tool-approval.js';
import { findReviewers, type Reviewer } from '../requirements/reviewers.js';
import type { StepTransaction } from '../facts/step-transaction.js';
import { acpOf, isExternal, policiesOf, type WorldSnapshot } from '../memory/world-snapshot.js';
import { NO_RULES, type SigningRule, weigh } from '../policy/index.js';
import type { ApprovalRecord, StepNeeds, RegisteredTool, ToolPlace } from '../ports/index.js';
import { describeDifference } from '../evidence/mcp-difference.js';
import type { ParsedCall } from './parse.js';
import type { PreparedCall } from '../evidence/prepared-call.js';
import type { Step } from '../step/runtime.js';
import { REVIEW_CALL, turnId } from '../turn/ids.js';

/** A grant expires when it hasn't been used for this long (CALL5). */
export const GRANT_LIFETIME_MS = 12 * 60 * 60 * 1000;

/** The data that a step must load to judge these calls. */
export function gateNeeds(calls: readonly PreparedCall[]): Required<Pick<StepNeeds, 'calls' | 'mcpTools' | 'asker'>> {
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

/** Runs the gate (CALL2) on a call, with the data it needs from the caller's step. */
export function gateCall(
  tx: GateReads,
  snapshot: WorldSnapshot,
  { call, agentId, place, policyCall, keys, isReview }: PreparedCall,
  { decision, hypothetical }: GateMore = {},
): Gate {
  if (isReview) return gateReview(call, policyCall);
  const grants = agentId === undefined ? [] : tx.grants(keys, tx.now() - GRANT_LIFETIME_MS);
  const changed = changeOf(tx, call.tool);
  const judged: GateInput = {
    call: policyCall,
    // Trust applies only to the definition that a person accepted.
    tool: offered(
      changed === undefined || call.tool === undefined ? call.tool : withoutClaims(call.tool),
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
  };
  return { ...checkToolApproval(judged), judged };
}

function withoutClaims(tool: RegisteredTool): RegisteredTool {
  const { claims: _, ...rest } = tool;
  return rest;
}

/** `review_call` exists only in a turn that reviews a call, and the tools of other programs and of the server only for external and ACP agents (EXT1, EXT3). */
function offered<T extends Pick<RegisteredTool, 'definition' | 'external' | 'byServer'>>(
  tool: T | undefined,
  hasExternal: boolean,
): T | undefined {
  if ((tool?.external === true || tool?.byServer === true) && !hasExternal) return undefined;
  return tool?.definition.name === REVIEW_CALL ? undefined : tool;
}

/**
 * In a turn that reviews a call, `review_call` runs and nothing else does (SIGN3). Rules don't apply to it: the rule that names the agent allows it,
 * and a review that needed a review would never end.
 */
function gateReview({ tool }: ParsedCall, policyCall: PreparedCall['policyCall']): Gate {
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

/** The gate's verdict on a call that is about to be written. */
export function gateProposal(step: Step, prepared: PreparedCall): Gate {
  const gate = gateCall(step.tx, step.snapshot, prepared);
  if (gate.kind === 'refuse') return gate;
  const { problem, question } = prepared;
  if (problem !== undefined) return { kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem } };
  // Ask the question regardless of rules: the only effect is the person's answer.
  if (question === undefined) return gate;
  if (isUnattended(step.tx, step.snapshot)) return { kind: 'refuse', how: 'deny', reason: { code: 'unattended' } };
  // The answer reaches a program with the login of somebody else, so rules about signers hold for it (EXT1.34).
  const isForProgram = prepared.call.tool?.asks !== undefined;
  const signing = isForProgram && gate.kind === 'ask' && gate.signing !== undefined ? { signing: gate.signing } : {};
  return { kind: 'ask', reason: { code: 'question' }, options: ['deny'], ...signing };
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
  return sayWhoSigns(policiesOf(snapshot, agentId));
}

function sayWhoSigns({ admin, world, agent }: ReturnType<typeof policiesOf>): boolean {
  return [admin, world, agent].some(({ signing }) => signing.length > 0);
}

/** The rules that say who must sign this call now. */
export function signingRulesOf(snapshot: WorldSnapshot, { agentId, policyCall }: PreparedCall): readonly SigningRule[] {
  const policies = policiesOf(snapshot, agentId);
  return sayWhoSigns(policies) ? weigh(policies, policyCall).signing : [];
}

/**
 * Whether one person's signature may not be enough for this call under the current rules. Also true if a rule says who must sign and the call can't be
 * judged, or is denied and therefore judged no further.
 */
export function mayNeedSigners(snapshot: WorldSnapshot, agentId: string, prepared: PreparedCall | undefined): boolean {
  if (!saysWhoSigns(snapshot, agentId)) return false;
  if (prepared === undefined) return true;
  const { signing, deny } = weigh(policiesOf(snapshot, agentId), prepared.policyCall);
  return signing.length > 0 || deny !== undefined;
}

/** Compares a server's current tool definition with the accepted one (CALL1). */
function changeOf(tx: GateReads, tool: RegisteredTool | undefined): string | undefined {
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
  // Deactivating an agent that runs its calls itself denies its waiting calls in a later step (EXT1.7).
  const isStopped = agent?.active !== true && (isExternal(snapshot, agentId) || acp !== undefined);
  // The program of an ACP agent has its own tools, which nobody lists.
  const own = acp === undefined ? [] : [externalToolName(acpProgram(acp), '*')];
  return { tools: isStopped ? [] : [...(agent?.tools ?? []), ...own], policy: snapshot.agentPolicy(agentId) };
}

/** Whether the tool claims that the call is contained. False if the tool throws. */
function isContained({ tool, arguments: args }: ParsedCall, { workingDirectory }: ToolPlace): boolean {
  if (tool?.claims?.contained === undefined || !args.ok) return false;
  try {
    const contained: unknown = tool.claims.contained(args.value, { workingDirectory });
    // Anything but `true`, such as a promise, counts as false.
    return contained === true;
  } catch {
    return false;
  }
}

/** The reason for denying a call that needs approval when no client can ask a person. */
export const UNATTENDED = describeReason({ code: 'unattended' });

/** Whether to deny calls that need approval: the world is set to do so, and no client that can ask a person is connected (CALL13). */
export function isUnattended(tx: Pick<StepTransaction, 'hasAsker'>, { world }: WorldSnapshot): boolean {
  return world.settings.unattended === 'deny' && !tx.hasAsker();
}
