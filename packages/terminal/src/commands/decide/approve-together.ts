import { needsPasskey, type Client } from '@countersign/client';
import { describeNeed, type ApprovalWithContext } from '@countersign/protocol';
import { effectLines } from '../../card/effect-lines.js';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { confirm } from '../../input/confirm.js';
import { plainLine } from '../../text/plain-text.js';
import { printLines } from '../../text/print-lines.js';
import { batchWords as words, cardWords } from '../../words/cards.js';
import { errors } from '../../words/errors.js';

interface Chosen {
  readonly approval: ApprovalWithContext;
  readonly world: string;
}

/**
 * Reviews several calls of one chat as one (CHANGE11): shows each in full, what it did after the calls before it, and what all change together. Approves
 * exactly that after a confirmation. Needs a running server, which keeps the rehearsal.
 */
export async function approveTogether(
  context: CommandContext,
  client: Client,
  chosen: readonly Chosen[],
  given: {
    readonly reason: string | undefined;
    readonly yes: boolean | undefined;
    readonly last: boolean;
    readonly show: (approval: ApprovalWithContext) => void;
  },
): Promise<number> {
  if ((await context.ownServer()) !== undefined) throw new CommandError(errors.severalNeedServer);
  const [first] = chosen;
  if (first === undefined || chosen.some(({ world }) => world !== first.world))
    throw new CommandError(errors.batchOfOneChat, EXIT.usage);
  const { world } = first;
  const batch = await client.createBatch(
    world,
    chosen.map(({ approval }) => approval.approvalId),
  );
  const { id, batchHash, calls, effect, between, last, needs = [] } = batch;
  const width = context.columns() ?? 100;
  const say = (lines: ReturnType<typeof effectLines>): void =>
    context.say(printLines(lines, width, context.paint).join('\n'));
  const showCall = (approvalId: string): void => {
    const found = chosen.find(({ approval }) => approval.approvalId === approvalId);
    if (found !== undefined) given.show(found.approval);
  };
  if (context.options.json && given.yes !== true) {
    context.json(batch);
    return EXIT.ok;
  }
  if (!context.options.json) {
    for (const [index, call] of calls.entries()) {
      showCall(call.approvalId);
      context.say(words.inBatch(index + 1, calls.length));
      say(effectLines({ effect: call.effect, toolName: call.toolName }, width, 'whole', ''));
    }
    context.say(words.total);
    say(effectLines({ effect }, width, 'whole', words.meaning));
    if (between.length > 0) context.say(words.between(between.map(plainLine).join(', ')));
    if (last !== undefined) {
      showCall(last.approvalId);
      context.say(words.last(last.why, given.last));
    }
    for (const need of needs) context.say(`  ${plainLine(describeNeed(need))}`);
  }
  if (needsPasskey(needs)) throw new CommandError(errors.batchNeedsPasskey, EXIT.failed);
  const count = calls.length + (last !== undefined && given.last ? 1 : 0);
  await confirm(context, { yes: given.yes, what: words.approving(count), word: 'approve' });
  const { state } = await client.decideBatch(world, id, {
    ...{ decision: 'approve', batchHash, approveLast: given.last },
    ...(given.reason === undefined ? {} : { reason: given.reason }),
  });
  if (context.options.json) context.json({ ...batch, state });
  else context.say(state === 'asked' ? cardWords.signedElsewhere : words.approved(count));
  return EXIT.ok;
}
