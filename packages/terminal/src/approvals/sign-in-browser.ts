import type { ApprovalView, Client } from '@countersign/client';
import type { ApprovalWithContext } from '@countersign/protocol';
import { setTimeout as pause } from 'node:timers/promises';
import { sizeOf } from '../console.js';
import type { CommandContext } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { untilInterrupted } from '../input/until-interrupted.js';
import { cardWords } from '../words/cards.js';
import { columnsOf, type ApprovalPrompt, type Asked } from './approval-prompt.js';
import { qrCode, signingLink } from './signing-link.js';

const POLL_MS = 1_000;

/** Shows where to sign a call with a passkey, and waits until it is decided there or the person goes back. */
export async function askInBrowser(
  { context, client, world, keyboard }: ApprovalPrompt,
  { chatId }: ApprovalView,
  signal: AbortSignal,
): Promise<Asked> {
  keyboard.print(`${await describeLink(context, await signingLink(client, world, chatId))}\n`);
  const typed = await keyboard.ask({ prompt: cardWords.signWaits, fresh: true, signal });
  if (typed.kind === 'cancelled') return { kind: 'gone' };
  return typed.kind === 'line' ? { kind: 'later' } : { kind: 'left' };
}

/** `approvals approve` for such a call: prints the link, and waits for the decision unless it is detached. */
export async function approveInBrowser(
  context: CommandContext,
  client: Client,
  { world, approval, isDetached }: { world: string; approval: ApprovalWithContext; isDetached: boolean },
): Promise<ExitCode> {
  const { approvalId, chatId } = approval;
  const link = await signingLink(client, world, chatId);
  if (context.options.json) context.json({ approvalId, link, state: 'asked' });
  else context.say(await describeLink(context, link));
  if (isDetached || context.options.json) return EXIT.ok;
  context.note(cardWords.signWaiting);
  const interrupted = untilInterrupted();
  let hasLeft = false;
  void interrupted.promise.then(() => (hasLeft = true));
  try {
    for (;;) {
      const { status, needs = [] } = await client.approval(world, approvalId);
      if (status !== 'pending') {
        context.note(status === 'approved' ? cardWords.approved(cardWords.scope.once) : cardWords.notApproved);
        return status === 'approved' ? EXIT.ok : EXIT.failed;
      }
      if (countSigned(needs) > countSigned(approval.needs ?? [])) {
        context.note(cardWords.signedElsewhere);
        return EXIT.ok;
      }
      if (hasLeft) return EXIT.interrupted;
      await Promise.race([pause(POLL_MS, undefined, { ref: true }), interrupted.promise]);
    }
  } finally {
    interrupted.end();
  }
}

function countSigned(needs: readonly { signed: readonly unknown[] }[]): number {
  return needs.reduce((count, { signed }) => count + signed.length, 0);
}

async function describeLink(context: CommandContext, link: string): Promise<string> {
  const { rows } = sizeOf(context.console.stdout);
  const code = await qrCode(link, { columns: columnsOf(context), rows });
  return [cardWords.signAt, `  ${link}`, ...(code === undefined ? [] : [code])].join('\n');
}
