import { coveredLines, coveredTitle, type Client } from '@countersign/client';
import type { PolicyMatch } from '@countersign/protocol';
import type { CommandContext } from '../context.js';
import { plainLine } from '../text/plain-text.js';

/** Names the waiting calls that a rule or grant would let run at once (A5), and says how many there are. */
export async function showCovered(
  context: CommandContext,
  client: Client,
  world: string,
  wanted: PolicyMatch,
  decided = { invocationId: '' },
): Promise<number> {
  const { waiting } = await client.policyMatches(world, wanted);
  const lines = coveredLines(waiting, decided);
  if (lines.length > 0 && !context.options.json) {
    context.say(`  ${coveredTitle(lines.length)}`);
    for (const line of lines) context.say(`    ${plainLine(line)}`);
  }
  return lines.length;
}
