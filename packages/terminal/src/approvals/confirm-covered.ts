import { ClientError, coveredGroups, coveredTitle, grantMatch, type ApprovalView } from '@countersign/client';
import type { CoveredCall } from '@countersign/protocol';
import { exactLines } from '../card/call-lines.js';
import { indented } from '../text/behind-bar.js';
import { printLines } from '../text/print-lines.js';
import { columnsOf, type ApprovalPrompt } from './approval-prompt.js';
import { cardWords } from '../words/cards.js';

/** Lists all waiting calls that this decision would also run (CALL5). Returns false if there are none. */
export async function printCovered(
  { keyboard, context }: ApprovalPrompt,
  waiting: readonly CoveredCall[],
  decided: ApprovalView,
): Promise<boolean> {
  const groups = coveredGroups(waiting, decided, { endsSoon: await context.endsSoon() });
  for (const { when, calls } of groups) {
    keyboard.print(`  ${coveredTitle(calls.length, when)}\n`);
    const lines = calls.flat().flatMap((line) => exactLines(line, columnsOf(context), {}, ''));
    keyboard.print(`${printLines(lines, columnsOf(context), context.paint).join('\n')}\n`);
  }
  return groups.length > 0;
}

/** Lists the other waiting calls that a grant for this chat would run, and asks for an explicit yes. */
export async function confirmCovered(
  prompt: ApprovalPrompt,
  approval: ApprovalView,
  pattern: string,
  signal: AbortSignal,
): Promise<'yes' | 'no' | 'gone'> {
  const { client, world, keyboard, context } = prompt;
  let waiting: readonly CoveredCall[];
  try {
    ({ waiting } = await client.policyMatches(world, grantMatch(approval, pattern)));
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columnsOf(context))}\n`);
    return 'no';
  }
  if (!(await printCovered(prompt, waiting, approval))) return 'yes';
  keyboard.print(`${cardWords.coveredChoices}\n`);
  const typed = await keyboard.ask({ prompt: context.paint.amber('  ✍ '), fresh: true, typedOnly: true, signal });
  if (typed.kind === 'cancelled') return 'gone';
  return typed.kind === 'line' && typed.text.trim().toLowerCase() === 'y' ? 'yes' : 'no';
}
