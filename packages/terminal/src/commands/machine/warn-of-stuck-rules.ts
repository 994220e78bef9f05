import type { Client } from '@countersign/client';
import type { StuckRule } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { plainLine } from '../../text/plain-text.js';
import { results } from '../../words/results.js';

export function stuckText({ worldName, rule, why }: StuckRule): string {
  return results.stuckRule(worldName, rule, why);
}

/** After a change to people or groups: says which rules nobody can satisfy now. */
export async function warnOfStuckRules(context: CommandContext, client: Client): Promise<void> {
  for (const stuck of (await client.stuckRules()).items) context.note(plainLine(stuckText(stuck)));
}
