import type { Runtime } from './runtime.js';
import { wordsOf } from '../ports/words-of.js';

/**
 * Before a call is judged: what it names must be there as it is now, such as the tool of a server that is started when it is needed.
 * Returns the reason as a sentence if that fails; undefined if not.
 */
export async function bringTool(
  { sources }: Runtime,
  worldId: string,
  toolName: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    for (const source of sources) await source.bring(worldId, toolName, signal);
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}

/**
 * Before a model is shown its tools: those that one of these patterns may name. Gives what is missing, a sentence each; undefined when
 * nothing has to be waited for.
 */
export function prepareTools(
  { sources }: Runtime,
  worldId: string,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> | undefined {
  const waits = sources.flatMap((source) => source.prepare(worldId, patterns, signal) ?? []);
  return waits.length === 0 ? undefined : Promise.all(waits).then((missing) => missing.flat());
}
