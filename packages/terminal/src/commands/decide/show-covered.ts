import { coveredGroups, coveredTitle, type Client, type CoveredWhen } from '@countersign/client';
import type { PolicyMatch } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { plainLine } from '../../text/plain-text.js';

/** For a rule that isn't based on a waiting call. */
const NO_CALL = { invocationId: '', chatId: '' };

/** Lists the waiting calls that a rule or grant would run (A5), and counts them. */
export async function showCovered(
  context: CommandContext,
  client: Client,
  world: string,
  wanted: PolicyMatch,
  decided = NO_CALL,
): Promise<readonly { when: CoveredWhen; count: number }[]> {
  const { waiting } = await client.policyMatches(world, wanted);
  const groups = coveredGroups(waiting, decided, { endsSoon: await context.endsSoon() });
  for (const { when, lines } of context.options.json ? [] : groups) {
    context.say(`  ${coveredTitle(lines.length, when)}`);
    for (const line of lines) context.say(`    ${plainLine(line)}`);
  }
  return groups.map(({ when, lines }) => ({ when, count: lines.length }));
}
