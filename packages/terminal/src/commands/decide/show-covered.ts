import { coveredGroups, coveredTitle, type Client, type CoveredWhen } from '@countersign/client';
import type { PolicyMatch } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { exactText } from '../../text/plain-text.js';

/** For a rule that isn't based on a waiting call. */
const NO_CALL = { invocationId: '', chatId: '' };

/** Lists the waiting calls that a rule or grant would run (CALL5), and counts them. */
export async function showCovered(
  context: CommandContext,
  client: Client,
  world: string,
  wanted: PolicyMatch,
  decided = NO_CALL,
): Promise<readonly { when: CoveredWhen; count: number }[]> {
  const { waiting } = await client.policyMatches(world, wanted);
  const groups = coveredGroups(waiting, decided, { endsSoon: await context.endsSoon() });
  for (const { when, calls } of context.options.json ? [] : groups) {
    context.say(`  ${coveredTitle(calls.length, when)}`);
    for (const line of calls.flat()) context.say(`    ${exactText(line)}`);
  }
  return groups.map(({ when, calls }) => ({ when, count: calls.length }));
}
