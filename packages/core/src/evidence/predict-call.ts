import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { canonicalJson } from '../policy/index.js';
import type { Predicted, PredictionContext, ProtectedPaths, ClaimedEvidence, Rehearsals } from '../ports/index.js';
import type { CallPlace, Runtime } from '../step/runtime.js';
import { parseCall, type ParsedCall } from '../call/parse.js';
import { toPolicyCall, type PreparedCall } from './prepared-call.js';
import { rulesAbout } from './rules-about.js';
import { showPrediction } from './show-effect.js';
import { rehearseInQueue, withoutEffect, type NoEffectRecord } from './rehearse-in-queue.js';

/** Includes waiting in the queue. The program, and the person who is asked, wait no longer than this for a prediction. */
const LIMIT_MS = 5_000;

/** A built-in call that does what a call of another program does, and the way to predict it. */
export interface PredictableCall {
  call: ParsedCall;
  /** The folder that the call names, if any. */
  folder?: string | undefined;
  rehearsals: Rehearsals;
  predict: (context: PredictionContext) => Promise<Predicted>;
}

/** Undefined if nothing can predict the call. */
export function findPredictor(
  runtime: Runtime,
  worldId: string,
  { tool, arguments: args }: ParsedCall,
): PredictableCall | undefined {
  if (tool?.external !== true || !args.ok) return undefined;
  const same = tool.predictedBy?.(args.value);
  if (same === undefined) return undefined;
  const builtIn = runtime.tools(worldId).get(same.tool);
  const rehearsals = builtIn?.claims?.rehearsals;
  const predict = rehearsals?.predict?.bind(rehearsals);
  if (builtIn === undefined || rehearsals === undefined || predict === undefined) return undefined;
  const call = parseCall(builtIn, same.tool, canonicalJson(same.arguments));
  if (!call.arguments.ok) return undefined;
  const { value } = call.arguments;
  return { call, folder: same.folder, rehearsals, predict: (context) => predict(value, context) };
}

/**
 * Predicts what a call does that another program runs itself (CHANGE9). Nothing is kept, signed or judged by it. Rejects only if the signal aborts: without a
 * prediction, people are asked all the same.
 */
export async function predictCall(
  runtime: Runtime,
  { call, folder, rehearsals, predict }: PredictableCall,
  { call: predicted, id: invocationId, place }: PreparedCall,
  about: { worldId: string; agentId: string; signal: AbortSignal; snapshot: WorldSnapshot },
): Promise<ClaimedEvidence | NoEffectRecord> {
  const { worldId, agentId, signal, snapshot } = about;
  if (snapshot.world.settings.rehearse === 'off') return { noEffect: { reason: 'off' } };
  if (place.isFolderUnknown === true) return { noEffect: { reason: 'other-folder' } };
  const ran = await rehearseInQueue(runtime, {
    rehearsals,
    call: { worldId, agentId, invocationId, toolName: predicted.toolName },
    queue: 'wait-within-limit',
    limitMs: LIMIT_MS,
    signal,
    run: (limit) =>
      predict(contextOf(snapshot, agentId, { place, named: folder, calls: [call, predicted], signal: limit })),
  });
  if ('noEffect' in ran) return ran;
  const { found, ms } = ran;
  if ('noEffect' in found) return withoutEffect(found.noEffect, ms);
  return { isClaim: true, ms, prediction: showPrediction(found.prediction, runtime.ownSecrets()) };
}

/** The rehearsal runs in the world's folder, without what the world opens to its sandbox. Paths are hidden from it as from either call. */
function contextOf(
  snapshot: WorldSnapshot,
  agentId: string,
  {
    place,
    named,
    calls,
    signal,
  }: { place: CallPlace; named?: string | undefined; calls: readonly ParsedCall[]; signal: AbortSignal },
): PredictionContext {
  const { home, workingDirectory: folder, worldDirectory: workingDirectory = folder } = place;
  return {
    workingDirectory,
    folder,
    ...(named === undefined ? {} : { named }),
    protectedIn(...others) {
      // In deny and ask rules, `./` is the world's folder and the program's (EXT1.5), which it may name by a link.
      const all = new Set([workingDirectory, folder, ...others]);
      const places: readonly CallPlace[] = [...all].map((one) => ({ workingDirectory: one, home }));
      const judged = calls.flatMap((one) => places.map((each) => toPolicyCall(one, each)));
      const found = judged.flatMap((one) => rulesAbout(snapshot, agentId, one).protectedPaths() ?? []);
      return found.length === 0 ? undefined : anyOf(found);
    },
    signal,
  };
}

const MOST = ['anything', 'fixed'] as const;

function anyOf(all: readonly ProtectedPaths[]): ProtectedPaths {
  return {
    isProtected: (path) => all.some((paths) => paths.isProtected(path)),
    mayHold: (folder, where) => {
      const found = all.map((paths) => paths.mayHold(folder, where));
      return MOST.find((most) => found.includes(most)) ?? 'nothing';
    },
  };
}
