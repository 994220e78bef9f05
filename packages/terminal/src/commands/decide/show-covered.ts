import { coveredGroups, coveredTitle, type Client, type CoveredWhen } from '@countersign/client';
import type { PolicyMatch } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { plainLine } from '../../text/plain-text.js';

/** What a rule that belongs to no waiting call is about: none of them is the decided one, and this command stays for none of their chats. */
const NO_CALL = { invocationId: '', chatId: '' };

/** Names the waiting calls that a rule or grant would let run (A5), and says how many run when. */
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
