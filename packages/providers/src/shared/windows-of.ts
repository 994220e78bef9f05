import type { Provider } from '@countersign/core/ports';
import { contextTokens } from './context-tokens.js';

/** Asks the server for the context window of a model. May reject. */
export type AskWindow = (model: string, signal: AbortSignal) => Promise<number | undefined>;

/** How long an answer is used: a local server may load a model with another window. */
const KNOWN_MS = 10 * 60_000;
/** How long a server that couldn't say is not asked again. */
const UNKNOWN_MS = 60_000;
const LONGEST_MS = 3_000;

interface KnownWindow {
  tokens: number | undefined;
  until: number;
  asking?: Promise<void>;
}

/** The context windows of a provider's models: as set, as the server says, or from the built-in table (WORLD15.2). */
export function windowsOf(
  given: number | undefined,
  ask: AskWindow,
): Required<Pick<Provider, 'contextTokens' | 'learnContextTokens'>> {
  const known = new Map<string, KnownWindow>();

  async function learn(model: string, before: number | undefined): Promise<void> {
    // A server that fails now may have said it before.
    const tokens = (await ask(model, AbortSignal.timeout(LONGEST_MS)).catch(() => undefined)) ?? before;
    known.set(model, { tokens, until: performance.now() + (tokens === undefined ? UNKNOWN_MS : KNOWN_MS) });
  }

  return {
    contextTokens: (model) => given ?? known.get(model)?.tokens ?? contextTokens(model),
    learnContextTokens(model) {
      const asked = known.get(model);
      if (given !== undefined || asked?.asking !== undefined) return asked?.asking;
      if (asked !== undefined && performance.now() < asked.until) return undefined;
      const asking = learn(model, asked?.tokens);
      known.set(model, { tokens: asked?.tokens, until: Infinity, asking });
      return asking;
    },
  };
}
