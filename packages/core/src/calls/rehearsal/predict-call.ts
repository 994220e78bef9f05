import type { WorldSnapshot } from '../../memory/world-snapshot.js';
import { canonicalJson } from '../../policy/index.js';
import type { Prediction, PredictionContext, RehearsalRecord, Rehearsals } from '../../ports/index.js';
import { untilAborted } from '../../ports/until-aborted.js';
import type { Place, Runtime } from '../../step/runtime.js';
import { readCall, toPolicyCall, type JudgedCall, type ReadCall } from '../read-call.js';
import { rulesAbout } from '../rules-about.js';
import { showEffect } from '../show-effect.js';
import { limitTime, withoutEffect } from './limit-time.js';
import { lineOf } from './rehearsal-line.js';

/** Includes waiting in line. The program, and the person who is asked, wait no longer than this for a prediction. */
const LIMIT_MS = 5_000;
const PLACE_MS = 60_000;

/** A built-in call that does what a call of another program does, and the way to predict it. */
export interface Predicting {
  call: ReadCall & { arguments: { ok: true } };
  rehearsals: Rehearsals;
  predict: (context: PredictionContext) => Promise<Prediction>;
}

/** Undefined if nothing can predict the call. Only a trusted built-in tool can: an untrusted one would choose what people see (A1). */
export function findPredicting(
  runtime: Runtime,
  worldId: string,
  { tool, arguments: args }: ReadCall,
): Predicting | undefined {
  if (tool?.external !== true || !args.ok) return undefined;
  const same = tool.predictedBy?.(args.value);
  if (same === undefined) return undefined;
  const builtIn = runtime.tools(worldId).get(same.tool);
  const { rehearsals } = builtIn ?? {};
  if (builtIn?.trusted !== true || rehearsals?.predict === undefined) return undefined;
  const call = readCall(builtIn, same.tool, canonicalJson(same.arguments));
  if (!call.arguments.ok) return undefined;
  const { value } = call.arguments;
  const predict = async (context: PredictionContext): Promise<Prediction> =>
    (await rehearsals.predict?.(value, context)) ?? { noEffect: { reason: 'failed' } };
  return { call: { ...call, arguments: call.arguments }, rehearsals, predict };
}

/**
 * Predicts what a call does that another program runs itself (A60). Nothing is kept, signed or judged by it. Rejects only if the signal aborts: without a
 * prediction, people are asked all the same.
 */
export async function predictCall(
  runtime: Runtime,
  { call, rehearsals, predict }: Predicting,
  judged: JudgedCall,
  about: { worldId: string; agentId: string; id: string; place: Place; signal: AbortSignal; snapshot: WorldSnapshot },
): Promise<RehearsalRecord> {
  const { worldId, agentId, id: invocationId, place, signal, snapshot } = about;
  if (snapshot.world.settings.rehearse === 'off') return { noEffect: { reason: 'off' } };
  if (place.isFolderUnknown === true) return { noEffect: { reason: 'other-folder' } };
  const limited = limitTime(runtime, signal, LIMIT_MS);
  let began: number | undefined;
  const took = (): number => Math.round(performance.now() - (began ?? performance.now()));
  try {
    const context = contextOf(snapshot, agentId, { place, call, judged, signal: limited.signal });
    const leave = await lineOf(rehearsals).takeTurn(`${worldId}/${agentId}`, limited.signal);
    began = performance.now();
    const found = await untilAborted(leavingAfter(runtime, leave, predict, context), limited.signal);
    if ('noEffect' in found) return withoutEffect(found.noEffect, took());
    return { ms: took(), prediction: showEffect(found.effect, runtime.ownSecrets()) };
  } catch (error) {
    if (signal.aborted) throw error;
    const isLate = limited.signal.aborted;
    if (!isLate) runtime.report(error, `failed to predict ${judged.call.toolName}`, { worldId, invocationId });
    const noEffect = { reason: isLate ? 'too-long' : 'failed' } as const;
    return began === undefined ? { noEffect } : { ms: took(), noEffect };
  } finally {
    limited.end();
  }
}

/**
 * A sandbox that was stopped takes a moment to end and to delete its draft, and keeps its place in the line until then: otherwise an agent could have
 * many at once. One that never ends leaves the line after a minute.
 */
function leavingAfter(
  { clock }: Runtime,
  leave: () => void,
  predict: Predicting['predict'],
  context: PredictionContext,
): () => Promise<Prediction> {
  const cancel = clock.after(PLACE_MS, leave, { background: true });
  return () =>
    predict(context).finally(() => {
      cancel();
      leave();
    });
}

/** The rehearsal runs in the world's folder, without what the world opens to its sandbox. Paths are hidden from it as from either call. */
function contextOf(
  snapshot: WorldSnapshot,
  agentId: string,
  about: { place: Place; call: ReadCall; judged: JudgedCall; signal: AbortSignal },
): PredictionContext {
  const { place, call, judged, signal } = about;
  const { home, workingDirectory: folder, worldDirectory: workingDirectory = folder } = place;
  // In deny and ask rules, `./` is the world's folder and the program's (A55.5).
  const places: readonly Place[] = [workingDirectory, folder].map((one) => ({ workingDirectory: one, home }));
  const calls = [call, judged.call].flatMap((one) => places.map((each) => toPolicyCall(one, each)));
  const all = calls.map((one) => rulesAbout(snapshot, agentId, one));
  const withheld = all.flatMap((rules) => rules.withheld ?? []);
  const hidden = all.flatMap((rules) => rules.protectedPaths() ?? []);
  return {
    workingDirectory,
    folder,
    ...(withheld.length === 0 ? {} : { withheld: (path) => withheld.some((isWithheld) => isWithheld(path)) }),
    ...(hidden.length === 0 ? {} : { protectedPaths: anyOf(hidden) }),
    signal,
  };
}

const MOST = ['anything', 'fixed'] as const;

function anyOf(all: readonly NonNullable<PredictionContext['protectedPaths']>[]) {
  return {
    isProtected: (path: string): boolean => all.some((paths) => paths.isProtected(path)),
    mayHold: (folder: string, where: 'inside' | 'outside') => {
      const found = all.map((paths) => paths.mayHold(folder, where));
      return MOST.find((most) => found.includes(most)) ?? 'nothing';
    },
  };
}
