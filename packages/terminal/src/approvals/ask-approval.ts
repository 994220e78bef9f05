import {
  argumentsWithHosts,
  chatPattern,
  ClientError,
  hostsToAllow,
  needsPasskey,
  revealedView,
  type ApprovalView,
} from '@countersign/client';
import { indented, proseBehindBar } from '../text/behind-bar.js';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';
import { offeredActions } from '../card/card-keys.js';
import { askQuestion } from './ask-question.js';
import { askRule } from './ask-rule.js';
import { confirmCovered } from './confirm-covered.js';
import { describeApproval } from '../card/describe-approval.js';
import { columnsOf, lookOf, type Ask, type ApprovalPrompt } from './approval-prompt.js';
import { editArguments } from './edit-arguments.js';
import { describeChoices, readAnswer } from './read-answer.js';
import { sendDecision, tryDecision } from './send-answer.js';
import { askInBrowser } from './sign-in-browser.js';
import { cardWords } from '../words/cards.js';

/**
 * Shows one approval and sends the person's decision. Only a clear answer approves: Enter denies, Ctrl-C and end of input decide nothing,
 * and an unknown answer asks again (CALL15).
 */
export const askApproval: Ask = async (prompt, asked, look, signal) => {
  if (asked.question !== undefined) return await askQuestion(prompt, asked, look, signal);
  let approval = asked;
  const { keyboard, context } = prompt;
  const { paint } = context;
  const hosts = hostsToAllow(asked);
  let draft: unknown = asked.arguments;
  let whole = false;
  let isShown = false;
  const shownAt = performance.now();
  const shownMs = (): number => Math.round(performance.now() - shownAt);
  for (;;) {
    if (keyboard.hasEnded()) return { kind: 'left' };
    const card = describeApproval(approval, { ...look, ...lookOf(context), whole });
    const { isCut } = card;
    const hasOthers = (look.place?.total ?? 1) > 1;
    const offered = offeredActions(approval, { part: 'decide', isCut, hasOthers, hasMore: true });
    const choices = describeChoices(approval, look.agentName, { offered, isCut }).map(
      // Truncated, because it contains an agent's text, and a line wrapped by the terminal could imitate a card.
      (line) => `  ${cutTo(plainLine(line), columnsOf(context) - 4)}`,
    );
    if (!isShown) keyboard.print(`${card.text}\n`);
    keyboard.print(`${choices.join('\n')}\n`);
    isShown = true;
    const typed = await keyboard.ask({ prompt: paint.amber('  ✍ '), fresh: true, typedOnly: true, signal });
    if (typed.kind === 'cancelled') return { kind: 'gone' };
    if (typed.kind !== 'line') return { kind: 'left' };
    const answer = readAnswer(typed.text, offered);
    switch (answer.kind) {
      case 'answer':
      case 'unknown':
        keyboard.print(`${isCut ? cardWords.unseen : cardWords.unknown}\n`);
        break;
      case 'deny':
        return await sendDecision(prompt, approval, { decision: 'deny', reason: answer.reason, shownMs: shownMs() });
      case 'once':
      case 'session': {
        const scope = answer.kind;
        if (needsPasskey(approval.needs)) return await askInBrowser(prompt, approval, signal);
        const pattern = scope === 'session' ? chatPattern(approval) : undefined;
        const isSure = pattern === undefined ? 'yes' : await confirmCovered(prompt, approval, pattern, signal);
        if (isSure === 'gone') return { kind: 'gone' };
        if (isSure === 'no') {
          isShown = false;
          break;
        }
        return await sendDecision(prompt, approval, {
          decision: 'approve',
          scope,
          shownMs: shownMs(),
          ...(pattern === undefined ? {} : { pattern }),
        });
      }
      case 'always': {
        const ruled = await askRule(prompt, approval, signal);
        if (ruled.kind !== 'back') return ruled;
        isShown = false;
        break;
      }
      case 'next':
        return { kind: 'later' };
      case 'more':
        whole = true;
        isShown = false;
        await showContext(prompt, approval);
        break;
      case 'reveal':
        approval = await revealed(prompt, asked);
        isShown = false;
        break;
      case 'hosts':
      case 'edit': {
        const changed =
          answer.kind === 'edit'
            ? await editArguments(prompt, { ...asked, arguments: draft }, signal)
            : { kind: 'edited' as const, arguments: argumentsWithHosts(asked.arguments, hosts) };
        if (changed.kind === 'denied')
          return await sendDecision(prompt, approval, { decision: 'deny', reason: cardWords.noReason });
        if (changed.kind === 'gone') return { kind: 'gone' };
        if (changed.kind === 'edited') {
          draft = changed.arguments;
          // Nothing runs: the edited call comes back with its own card (CALL7.4).
          const sent = await tryDecision(prompt, approval, { decision: 'approve', arguments: changed.arguments });
          if (sent.kind !== 'refused') return sent;
        }
        isShown = false;
        break;
      }
    }
  }
};

/** The unmasked card, or the masked one if revealing failed. */
async function revealed(
  { client, world, keyboard, context }: ApprovalPrompt,
  asked: ApprovalView,
): Promise<ApprovalView> {
  try {
    return revealedView(asked, await client.reveal(world, asked.approvalId));
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columnsOf(context))}\n`);
    return asked;
  }
}

/** Shows the last messages in the chat, so that a person sees what led to the call (CALL3). */
async function showContext(
  { client, world, keyboard, context }: ApprovalPrompt,
  { approvalId }: ApprovalView,
): Promise<void> {
  const columns = columnsOf(context);
  try {
    const shown = await client.approval(world, approvalId);
    const said = shown.context.filter(({ content, role }) => content !== '' && role !== 'tool');
    if (said.length > 0) keyboard.print(`${cardWords.before}\n`);
    for (const { sender, content } of said)
      keyboard.print(`${proseBehindBar(`${plainLine(sender)}: ${content}`, columns)}\n`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columns)}\n`);
  }
}
