import { CountersignError, describeReason, type Who } from '@countersign/protocol';
import { gateCall, gateNeeds, signingRulesOf } from '../call/gate.js';
import { callOf, refreshTool } from '../call/parse.js';
import { findCall, type FoundCall } from '../decisions/find-call.js';
import { callHash, digestOf as toolDigestOf, keyedHash } from '../evidence/hash-call.js';
import { inspectCall, sandboxOf, sign } from '../evidence/inspect-call.js';
import { digestOf } from '../evidence/judged-call.js';
import { toPrepared, type PreparedCall } from '../evidence/prepared-call.js';
import { maskSecrets } from '../masking/index.js';
import { policiesOf, type WorldSnapshot } from '../memory/world-snapshot.js';
import type { SigningRule } from '../policy/index.js';
import type { ApprovalRecord, EffectPaths } from '../ports/index.js';
import { requestersOf } from '../requirements/needed-signatures.js';
import { readSnapshot, readState, noWorld } from '../step/commit.js';
import { placeOfCall } from '../step/place.js';
import type { Runtime } from '../step/runtime.js';

/** A waiting call that may be part of a batch, as it is now. */
export interface WaitingCall extends FoundCall {
  approval: ApprovalRecord;
  prepared: PreparedCall;
}

/** The calls of a batch in the order in which they run, and the world that they were read in. */
export interface WaitingCalls {
  calls: readonly WaitingCall[];
  snapshot: WorldSnapshot;
}

/** Reads waiting calls of one chat. Throws if they can't be decided together. */
export async function readWaitingCalls(
  runtime: Runtime,
  worldId: string,
  approvals: readonly string[],
): Promise<WaitingCalls> {
  if (new Set(approvals).size !== approvals.length) throw invalid('Each approval can be named once.');
  const found: (FoundCall & { approval: ApprovalRecord })[] = [];
  for (const id of approvals) {
    await runtime.process.resumeUnfinished({ callId: id });
    const one = await findCall(runtime, worldId, id);
    if (one?.approval === undefined || !one.byApproval || one.invocation.worldId !== worldId)
      throw new CountersignError('not-found', `There is no approval "${id}" in this world.`);
    found.push({ ...one, approval: one.approval });
  }
  const [first] = found;
  for (const { approval, invocation } of found) {
    if (approval.status !== 'pending' || approval.id !== invocation.approvalId)
      throw conflict(`${approval.toolName} was already decided, or needs approval again. Review the others.`);
    if (invocation.chatId !== first?.invocation.chatId) throw invalid('The calls must be of one chat.');
  }
  const snapshot = await readSnapshot(runtime, worldId);
  if (snapshot === undefined) throw noWorld(worldId);
  const calls = await Promise.all(
    found.toSorted(byOrder).map(async (one): Promise<WaitingCall> => {
      const { invocation, approval } = one;
      const missing = await refreshTool(runtime, worldId, invocation.toolName);
      const parsed = callOf(runtime, invocation);
      const { tool, toolName } = parsed;
      const isOther = invocation.runBy !== 'here' || tool?.byServer === true || approval.applies === 'verdict';
      if (missing !== undefined || isOther || approval.question !== null || !parsed.arguments.ok)
        throw conflict(`${toolName} can't be reviewed with other calls. Decide it alone.`);
      if (approval.signing?.rules.some(({ by }) => by.agent !== undefined) === true)
        throw conflict(`An agent reviews ${toolName}, so it can't be reviewed with other calls. Decide it alone.`);
      const place = await placeOfCall(runtime, snapshot, invocation);
      const about = { ...invocation, place };
      // It may only work after the calls before it.
      const prepared = await inspectCall(runtime, parsed, about).catch(() => toPrepared(parsed, about));
      return { ...one, prepared };
    }),
  );
  return { calls, snapshot };
}

/** Calls of a turn run in their order, and so do calls of several turns, as far as there is one. */
function byOrder({ invocation: a }: FoundCall, { invocation: b }: FoundCall): number {
  if (a.turnId === b.turnId) return a.position - b.position;
  return a.createdAt - b.createdAt || (a.turnId < b.turnId ? -1 : 1);
}

/** Throws if rules deny one of these calls, with what it would change if that is known. */
export async function refuseDenied(
  runtime: Runtime,
  worldId: string,
  calls: readonly { prepared: PreparedCall; paths?: EffectPaths | undefined }[],
): Promise<void> {
  const judged = calls.map(({ prepared, paths }) =>
    paths === undefined ? prepared : { ...prepared, policyCall: { ...prepared.policyCall, effect: paths } },
  );
  const chats = [...new Set(judged.map(({ keys }) => keys.chatId))];
  await readState(runtime, worldId, { chats, ...gateNeeds(judged) }, ({ tx, snapshot }) => {
    for (const one of judged) {
      const gate = gateCall(tx, snapshot, one);
      if (gate.kind !== 'refuse' || gate.reason.code === 'unattended') continue;
      throw conflict(
        gate.rule === undefined
          ? `${one.call.toolName} can't run: ${maskSecrets(describeReason(gate.reason))}.`
          : `A rule denies ${one.call.toolName}: ${maskSecrets(gate.rule)}.`,
      );
    }
  });
}

/** Everyone who requested one of the calls. Empty if that is unknown for one of them, so that no rule counts it as nobody. */
export function allRequesters(calls: readonly FoundCall[]): readonly Who[] {
  const each = calls.map(({ turn, invocation }) => requestersOf(turn, invocation));
  return each.some((those) => those.length === 0) ? [] : each.flat();
}

/** The rules that say who must sign, of all calls, each once. */
export function allSigningRules(
  snapshot: WorldSnapshot,
  calls: readonly Pick<WaitingCall, 'prepared'>[],
): readonly SigningRule[] {
  const rules = calls.flatMap(({ prepared }) => signingRulesOf(snapshot, prepared));
  return [...new Map(rules.map((rule) => [rule.rule, rule])).values()];
}

/** What the hash of a batch covers of each call: the call as it would run, its approval, and the rules of its agent. */
export function describeCalls(
  { store }: Pick<Runtime, 'store'>,
  { calls, snapshot }: WaitingCalls,
): readonly (readonly string[])[] {
  return calls.map(({ approval, prepared }) => {
    const { call, keys, place } = prepared;
    const { admin, world, agent } = policiesOf(snapshot, keys.agentId);
    const { workingDirectory } = place;
    const sandbox = sandboxOf(call.tool, place, call.arguments.ok ? call.arguments.value : undefined);
    const parts = { ...keys, tool: toolDigestOf(call.tool), workingDirectory, sandbox };
    return [approval.id, callHash(store.hashKey, parts), digestOf(admin, world, agent)];
  });
}

export function hashBatch(
  { store }: Pick<Runtime, 'store'>,
  calls: readonly (readonly string[])[],
  results: readonly unknown[],
  effectHash: string,
): string {
  return keyedHash(store.hashKey, JSON.stringify(['countersign.batch.1', calls, results, effectHash]));
}

/** The call as a decision about the batch covers it: its own hash covers that of the batch. */
export function inBatch(
  runtime: Runtime,
  { prepared }: Pick<WaitingCall, 'prepared'>,
  batchHash: string,
  paths: EffectPaths | undefined,
): PreparedCall {
  const { call, place } = prepared;
  const { workingDirectory } = place;
  const sandbox = sandboxOf(call.tool, place, call.arguments.ok ? call.arguments.value : undefined);
  const signed = sign(runtime, prepared, {
    ...{ workingDirectory, sandbox, fingerprint: batchHash, preview: null, rehearsal: null },
    applies: 'draft',
  });
  return paths === undefined ? signed : { ...signed, policyCall: { ...signed.policyCall, effect: paths } };
}

export function conflict(detail: string): CountersignError {
  return new CountersignError('conflict', detail);
}

function invalid(detail: string): CountersignError {
  return new CountersignError('invalid', detail, { field: 'approvals' });
}
