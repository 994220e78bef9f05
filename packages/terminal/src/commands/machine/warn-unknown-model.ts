import type { Agent } from '@countersign/protocol';
import { nearest } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { plainLine } from '../../text/plain-text.js';
import { results } from '../../words/results.js';

/** The list is only used for a warning, so it must not cause a long wait. */
const PATIENCE_MS = 5_000;

/** Warns if the provider's list doesn't contain the model. Silent if there is no list. */
export async function warnUnknownModel(
  context: CommandContext,
  { provider, model }: Pick<Agent, 'provider' | 'model'>,
): Promise<void> {
  const client = await context.client();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const listed = await client.providerModels(provider, { signal }).catch(() => undefined);
  const models = (listed?.items ?? []).map(({ id }) => id);
  if (listed?.problem !== undefined || models.length === 0 || models.includes(model)) return;
  context.note(plainLine(results.unknownModel(model, provider, nearest(model, models))));
}
