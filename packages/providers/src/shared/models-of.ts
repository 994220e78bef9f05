import type { ModelPrice, Provider } from '@countersign/core/ports';
import type { ProviderModel } from '@countersign/protocol';
import { contextTokens } from './context-tokens.js';

type Learned = Pick<ProviderModel, 'contextTokens' | 'inputPrice' | 'outputPrice'>;

/** Asks the server for the context window and the price of a model. May reject. */
export type AskModel = (model: string, signal: AbortSignal) => Promise<Learned | undefined>;

/** How long an answer is used: a local server may load a model with another window. */
const KNOWN_MS = 10 * 60_000;
/** How long a server that couldn't say is not asked again. */
const UNKNOWN_MS = 60_000;
const LONGEST_MS = 3_000;

interface Known {
  facts: Learned | undefined;
  until: number;
  asking?: Promise<void>;
}

/** The context windows of a provider's models: as set, as the server says, or from the built-in table (WORLD15.2). Prices only as the server says. */
export function modelsOf(
  given: number | undefined,
  ask: AskModel,
): Required<Pick<Provider, 'contextTokens' | 'price' | 'learnModel'>> {
  const known = new Map<string, Known>();

  async function learn(model: string, before: Learned | undefined): Promise<void> {
    // A server that fails now may have said it before.
    const facts = (await ask(model, AbortSignal.timeout(LONGEST_MS)).catch(() => undefined)) ?? before;
    known.set(model, { facts, until: performance.now() + (facts === undefined ? UNKNOWN_MS : KNOWN_MS) });
  }

  return {
    contextTokens: (model) => given ?? known.get(model)?.facts?.contextTokens ?? contextTokens(model),
    price: (model) => priceOf(known.get(model)?.facts),
    learnModel(model) {
      const asked = known.get(model);
      if (given !== undefined || asked?.asking !== undefined) return asked?.asking;
      if (asked !== undefined && performance.now() < asked.until) return undefined;
      const asking = learn(model, asked?.facts);
      known.set(model, { facts: asked?.facts, until: Infinity, asking });
      return asking;
    },
  };
}

function priceOf({ inputPrice: input, outputPrice: output }: Learned = {}): ModelPrice | undefined {
  return input === undefined || output === undefined ? undefined : { input, output };
}
