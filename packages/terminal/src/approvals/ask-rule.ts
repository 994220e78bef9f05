import { callLine, ClientError, type ApprovalView } from '@countersign/client';
import { behindBar, indented } from '../text/behind-bar.js';
import { plainLine } from '../text/plain-text.js';
import { printCovered } from './confirm-covered.js';
import { columnsOf, type Asked, type ApprovalPrompt } from './approval-prompt.js';
import { sendDecision, tryDecision } from './send-answer.js';
import { cardWords } from '../words/cards.js';

/** `back`: return to the card without a decision. */
type Ruled = Asked | { readonly kind: 'back' };

/** "Always" adds a rule that remains after the call, so the rule is shown, can be edited, and needs its own confirmation. */
export async function askRule(prompt: ApprovalPrompt, approval: ApprovalView, signal: AbortSignal): Promise<Ruled> {
  const { keyboard, context } = prompt;
  let rule = approval.proposedRule ?? '';
  for (;;) {
    keyboard.print(`${cardWords.ruleIntro(plainLine(prompt.world))}\n`);
    keyboard.print(`${behindBar(rule, columnsOf(context))}\n`);
    await showMatches(prompt, approval, rule);
    keyboard.print(`${cardWords.ruleChoices}\n`);
    const typed = await keyboard.ask({ prompt: context.paint.amber('  ✍ '), fresh: true, typedOnly: true, signal });
    if (typed.kind === 'cancelled') return { kind: 'gone' };
    if (typed.kind !== 'line') return { kind: 'back' };
    const word = typed.text.trim().toLowerCase();
    if (word === 'w' && rule !== '') {
      const sent = await tryDecision(prompt, approval, { decision: 'approve', scope: 'always', rule });
      if (sent.kind !== 'refused') return sent;
      // The server rejected the rule; the call is still waiting.
    } else if (word !== 'e') {
      return await sendDecision(prompt, approval, { decision: 'deny', reason: cardWords.noReason });
    }
    const edited = await keyboard.ask({ prompt: cardWords.rulePrompt, prefill: plainLine(rule), signal });
    if (edited.kind === 'cancelled') return { kind: 'gone' };
    if (edited.kind !== 'line') return { kind: 'back' };
    rule = edited.text.trim();
    if (rule === '') return await sendDecision(prompt, approval, { decision: 'deny', reason: cardWords.noReason });
  }
}

/**
 * Lists other calls in this chat that the rule matches. The server finds them, because a second implementation here could differ from its gate.
 */
async function showMatches(prompt: ApprovalPrompt, approval: ApprovalView, rule: string): Promise<void> {
  const { client, world, keyboard, context } = prompt;
  const columns = columnsOf(context);
  try {
    const { items, more, waiting } = await client.policyMatches(world, { chatId: approval.chatId, rule });
    await printCovered(prompt, waiting, approval);
    const isWaiting = new Set(waiting.map(({ toolCallId }) => toolCallId));
    const others = items.filter(({ toolCallId }) => toolCallId !== approval.invocationId && !isWaiting.has(toolCallId));
    const lines = [...new Set(others.map((each) => callLine(each.toolName, each.arguments)))];
    if (lines.length === 0) return keyboard.print(`${cardWords.matchesNothing}\n`);
    keyboard.print(`${cardWords.alsoMatches}\n`);
    for (const line of lines.slice(0, MAX_MATCHES)) keyboard.print(`${behindBar(line, columns)}\n`);
    if (more || lines.length > MAX_MATCHES) keyboard.print(`${cardWords.andMore}\n`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columns)}\n`);
  }
}

const MAX_MATCHES = 5;
