import type { SavedAgent } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { plainLine } from '../../text/plain-text.js';
import { results } from '../../words/results.js';

/** Warns if the provider's list doesn't contain the model (MODEL9.2). */
export function warnUnknownModel(context: CommandContext, { provider, model, unknownModel }: SavedAgent): void {
  if (unknownModel !== undefined) context.note(plainLine(results.unknownModel(model, provider, unknownModel.closest)));
}
