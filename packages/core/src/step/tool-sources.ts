import type { Runtime } from './runtime.js';
import { wordsOf } from '../ports/words-of.js';

/**
 * Prepares a tool before its call is judged, for example by starting its server. Returns an error message if that fails, or undefined.
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
 * Prepares the tools that match these patterns before a model sees them. Resolves to a message for each missing one; undefined if
 * there is nothing to wait for.
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
