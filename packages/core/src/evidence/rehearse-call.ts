import { CountersignError } from '@countersign/protocol';
import type { ParsedCall } from '../call/parse.js';
import { policiesOf, type WorldSnapshot } from '../memory/world-snapshot.js';
import type { Gate } from '../policy/check-tool-approval.js';
import { mayBeAllowedByEffect, namesPath } from '../policy/index.js';
import type { EffectPaths, RehearsalContext } from '../ports/index.js';
import { dropRehearsal } from '../step/drop-rehearsal.js';
import type { Runtime } from '../step/runtime.js';
import { newId } from '../turn/ids.js';
import { withRehearsal } from './inspect-call.js';
import { REHEARSAL_LIMIT_MS } from './limit-time.js';
import type { PreparedCall } from './prepared-call.js';
import { rehearseInQueue, withoutEffect } from './rehearse-in-queue.js';
import { rulesAbout } from './rules-about.js';
import { showEffect } from './show-effect.js';

interface RehearsalSetting {
  worldId: string;
  chatId: string;
  agentId: string;
  wasAsked: boolean;
  signal: AbortSignal;
}

/** The gate's verdict without the effect, and the rules that it was judged by. */
interface Judged {
  gate: Gate;
  snapshot: WorldSnapshot;
}

/** Rehearses a call that nobody made, for a check of the rules, and deletes the draft. Rejects with `invalid` if its tool can't rehearse it. */
export async function rehearseToCheck(
  runtime: Runtime,
  prepared: PreparedCall,
  judged: Judged,
  about: Omit<RehearsalSetting, 'wasAsked'>,
): Promise<PreparedCall> {
  const { tool, toolName } = prepared.call;
  if (tool?.external === true) {
    const why = `Rules about effects can't allow calls to ${toolName}, so there is nothing to rehearse: its program runs them itself.`;
    throw new CountersignError('invalid', why, { field: 'rehearse' });
  }
  if (!canRehearse(prepared.call))
    throw new CountersignError('invalid', `Calls to ${toolName} can't be rehearsed.`, { field: 'rehearse' });
  const id = newId('call');
  try {
    return await rehearseCall(runtime, { ...prepared, id }, judged, { ...about, wasAsked: false });
  } finally {
    dropRehearsal(runtime, tool, id);
  }
}

/** Whether the tool can rehearse this call. */
export function canRehearse({ tool, arguments: args }: ParsedCall): boolean {
  return tool?.claims?.rehearsals !== undefined && tool.claims.question === undefined && args.ok;
}

/** Runs a call in a draft. The hash then covers its effect, and rules judge the paths, which are complete and unmasked. */
export async function rehearseCall(
  runtime: Runtime,
  prepared: PreparedCall,
  { gate, snapshot }: Judged,
  about: RehearsalSetting,
): Promise<PreparedCall> {
  const { call, uninspected, id: invocationId, place } = prepared;
  const { tool, toolName } = call;
  const rehearsals = tool?.claims?.rehearsals;
  if (rehearsals === undefined || !call.arguments.ok) throw new Error("a call that can't run can't be rehearsed");
  if (snapshot.world.settings.rehearse === 'off' && tool?.byServer !== true)
    return withRehearsal(runtime, prepared, { rehearsal: { noEffect: { reason: 'off' } }, applies: 'call' });
  const { worldId, chatId, agentId, signal } = about;
  const { value } = call.arguments;
  const { withheld, protectedPaths } = rulesAbout(snapshot, agentId, uninspected);
  const policies = policiesOf(snapshot, agentId);
  const isUnseen =
    snapshot.world.settings.mode === 'auto' &&
    !about.wasAsked &&
    isAboutEffect(gate) &&
    !mayBeAllowedByEffect(policies, uninspected);
  const contextOf = (limit: AbortSignal): RehearsalContext => ({
    worldId,
    chatId,
    agentId,
    invocationId,
    workingDirectory: place.workingDirectory,
    ...(withheld === undefined ? {} : { withheld }),
    get protectedPaths() {
      return protectedPaths();
    },
    // Only a rule about effects may still require approval, so the limits of a run that nobody sees apply (CHANGE4).
    ...(isUnseen ? { mayCreate: namesPath(policies, place) } : {}),
    ...(place.grants === undefined ? {} : { sandboxGrants: place.grants }),
    signal: limit,
  });
  const ran = await rehearseInQueue(runtime, {
    rehearsals,
    call: { worldId, agentId, invocationId, toolName },
    // Agents that propose much must not hold up a decision.
    queue: about.wasAsked ? 'skip' : 'wait',
    limitMs: REHEARSAL_LIMIT_MS,
    signal,
    run: (limit) => rehearsals.rehearse(value, contextOf(limit)),
  });
  if ('noEffect' in ran) return withRehearsal(runtime, prepared, { rehearsal: ran, applies: 'call' });
  const { found, ms } = ran;
  if (found.fingerprint === undefined)
    return withRehearsal(runtime, prepared, { rehearsal: withoutEffect(found.noEffect, ms), applies: 'call' });
  const effect = showEffect(found.effect, runtime.ownSecrets());
  const rehearsed = withRehearsal(runtime, prepared, { rehearsal: { ms, effect }, applies: 'draft' });
  const paths = readPaths(found.paths);
  return paths === undefined ? rehearsed : { ...rehearsed, policyCall: { ...rehearsed.policyCall, effect: paths } };
}

/** Undefined if the tool returned something else. The effect then counts as unknown. */
function readPaths(found: unknown): EffectPaths | undefined {
  if (typeof found !== 'object' || found === null) return undefined;
  const paths = found as EffectPaths;
  const { added, changed, removed, outward, leftOut, refs = [] } = paths;
  const lists: readonly unknown[] = [added, changed, removed, outward, leftOut, refs];
  const isList = (list: unknown): boolean => Array.isArray(list) && list.every((path) => typeof path === 'string');
  return lists.every(isList) ? paths : undefined;
}

function isAboutEffect(gate: Gate): boolean {
  return gate.kind === 'ask' && gate.reason.code === 'effect-unknown';
}
