import {
  describeReason,
  mapReason,
  nearest,
  type PolicyCheck,
  type PolicyVerdict,
  type Reason,
  type RuleMiss,
  settleEnd,
  type Signer,
} from '@countersign/protocol';
import type { Gate } from '../policy/check-tool-approval.js';
import { maskArguments, maskSecrets } from '../masking/index.js';
import { explainMisses, type Policy, policyAt } from '../policy/index.js';
import { compileRules } from './compile-rules.js';
import { refuseRulesReach } from './refuse-reach.js';
import type { Safeguards } from './refuse-unconfirmed.js';
import { gateCall, gateNeeds } from '../call/gate.js';
import { parseCall } from '../call/parse.js';
import { toPrepared, type PreparedCall } from '../evidence/prepared-call.js';
import { rehearseToCheck } from '../evidence/rehearse-call.js';
import { inspectCall } from '../evidence/inspect-call.js';
import { policiesOf } from '../memory/world-snapshot.js';
import { agentIn, commit, noWorld, readSnapshot, readState } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { errorMessage } from '../ports/error-message.js';

/**
 * Checks what would happen to a call, and which rule decides (HTTP2 `policy/check`), with the same gate as real calls but without grants. Nothing
 * is written, and nothing runs, except a rehearsal that was asked for, which is recorded. Without an agent, every tool is permitted.
 */
export async function checkPolicy(
  runtime: Runtime,
  worldId: string,
  check: PolicyCheck,
  { by, ...safeguards }: Pick<Safeguards, 'may'> & { by?: Signer } = {},
): Promise<PolicyVerdict> {
  const known = await readSnapshot(runtime, worldId);
  if (known === undefined) throw noWorld(worldId);
  const tried = check.rules === undefined ? undefined : await compileTried(runtime, worldId, check.rules);
  const snapshot = tried === undefined ? known : { ...known, policy: policyAt(tried.policy, tried.now) };
  // A rehearsal runs with the folders and addresses that the tried rules open.
  if (check.rehearse === true)
    await runtime.store.read((reader) =>
      refuseRulesReach({ runtime, reader, snapshot: known }, { policy: snapshot.policy, field: 'rules' }, safeguards),
    );
  const { agentId } = check;
  if (agentId !== undefined) agentIn(snapshot, agentId, 'agentId');
  const tools = runtime.tools(worldId);
  const tool = tools.get(check.tool);
  const call = parseCall(tool, check.tool, JSON.stringify(check.arguments));
  const place = runtime.findPlace(snapshot);
  const nowhere = { id: '', worldId, agentId, chatId: '', place };
  const before = await inspectCall(runtime, call, nowhere).catch((error: unknown): PreparedCall => ({
    ...toPrepared(call, nowhere),
    problem: `could not determine what this call would touch: ${errorMessage(error)}`,
  }));
  const needs = { chats: [], ...gateNeeds([before]) };
  const gateOf = async (prepared: PreparedCall): Promise<Gate> =>
    await readState(runtime, worldId, needs, ({ tx }) => gateCall(tx, snapshot, prepared));
  const gateBefore = await gateOf(before);
  const isRehearsed = check.rehearse === true && isPossible(gateBefore) && before.problem === undefined;
  if (isRehearsed)
    await commit(runtime, 'check-policy', worldId, { chats: [] }, ({ tx }) => {
      const args = maskArguments(call.argumentsText).value;
      tx.write({ kind: 'policy-checked', tool: check.tool, arguments: args, by });
    });
  const setting = { worldId, agentId: agentId ?? '', chatId: '', signal: NEVER };
  const prepared = isRehearsed
    ? await rehearseToCheck(runtime, before, { gate: gateBefore, snapshot }, setting)
    : before;
  const record = isRehearsed ? prepared.signed?.rehearsal : undefined;
  const gate = isRehearsed ? await gateOf(prepared) : gateBefore;
  const verdict = tool === undefined ? unknownTool(check.tool, [...tools.keys()]) : toVerdict(gate);
  const { problem } = before;
  const checked =
    problem !== undefined && verdict.outcome !== 'refuse' ? worded('refuse', { code: 'cannot-run', problem }) : verdict;
  const policies = policiesOf(snapshot, agentId);
  const misses = call.arguments.ok ? explainMisses(policies, prepared.policyCall) : [];
  const notApplied = misses.length === 0 ? {} : { notApplied: [...misses] };
  const { ms: _, ...found } = record ?? {};
  return { ...withoutSecrets({ ...checked, ...notApplied }, maskArguments(call.argumentsText).secrets), ...found };
}

/** Rules that are not stored, with those that have ended. */
export async function compileTried(
  { store, tools }: Pick<Runtime, 'store' | 'tools'>,
  worldId: string,
  rules: readonly string[],
): Promise<{ policy: Policy; now: number }> {
  const now = await store.read(async (reader) => reader.now());
  const settled = rules.map((line) => settleEnd(line, now));
  return { policy: compileRules(settled, { field: 'rules' }, tools(worldId)), now };
}

const NEVER = new AbortController().signal;

/** False if the call is refused whatever it does. A call that a rule denies is never rehearsed. */
function isPossible(gate: Gate): boolean {
  return gate.kind !== 'refuse' || gate.reason.code === 'unattended';
}

/** Replaces the gate's reason, which is addressed to a model. */
function unknownTool(name: string, known: readonly string[]): PolicyVerdict {
  const near = nearest(name, known);
  const hint = near === undefined ? '' : `. Did you mean ${JSON.stringify(near)}?`;
  const problem = `there is no tool named ${JSON.stringify(name)} in this world${hint}`;
  return worded('refuse', { code: 'cannot-run', problem });
}

function toVerdict(gate: Gate): PolicyVerdict {
  const rule = gate.rule === undefined ? {} : { rule: gate.rule };
  switch (gate.kind) {
    case 'run':
      return { ...worded('run', whyItRuns(gate)), ...rule };
    case 'ask':
      return {
        ...worded('ask', gate.reason),
        ...rule,
        ...(gate.proposedRule === undefined ? {} : { proposedRule: gate.proposedRule }),
      };
    case 'refuse':
      return { ...worded('refuse', gate.reason), ...rule };
  }
}

function worded(outcome: PolicyVerdict['outcome'], reason: Reason): PolicyVerdict {
  return { outcome, reason, why: describeReason(reason) };
}

function whyItRuns({ because, rule = '' }: Extract<Gate, { kind: 'run' }>): Reason {
  if (because === 'rule') return { code: 'allow-rule', rule };
  return { code: because };
}

/** Masks the secrets of the call, because the verdict may be logged and shown (SAFE6). */
function withoutSecrets(verdict: PolicyVerdict, secrets: readonly string[]): PolicyVerdict {
  const hide = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), maskSecrets(text));
  const { proposedRule, notApplied, ...rest } = verdict;
  const reason = mapReason(rest.reason, hide);
  const tells = proposedRule !== undefined && hide(proposedRule) !== proposedRule;
  return {
    ...rest,
    reason,
    why: describeReason(reason),
    ...(proposedRule === undefined || tells ? {} : { proposedRule }),
    ...(notApplied === undefined
      ? {}
      : { notApplied: notApplied.map((miss) => ({ ...miss, ...hideValue(miss, hide) })) }),
  };
}

/** Applied after masking; otherwise, part of a secret could remain. */
const LONGEST_VALUE = 120;

function hideValue({ value }: RuleMiss, hide: (text: string) => string): { value?: string } {
  const shown = value === undefined ? undefined : hide(value);
  if (shown === undefined) return {};
  return { value: shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}…` : shown };
}
