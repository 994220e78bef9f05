import { describeQuestion } from './describe-approval.js';
import { lookOf, type Ask } from './desk.js';
import { sendDecision, sendWords } from './send-answer.js';
import { cardWords } from '../words/cards.js';

/** Asks a question from an agent. Any text answers it; an empty line leaves it unanswered. */
export const askQuestion: Ask = async (desk, approval, look, signal) => {
  const { keyboard, context } = desk;
  const choices = approval.question?.choices ?? [];
  keyboard.print(`${describeQuestion(approval, { ...look, ...lookOf(context) })}\n`);
  keyboard.print(`${cardWords.answerPrompt(choices.length > 0)}\n`);
  const typed = await keyboard.ask({ prompt: context.paint.amber('  ? '), fresh: true, signal });
  if (typed.kind === 'cancelled') return { kind: 'gone' };
  if (typed.kind !== 'line') return { kind: 'left' };
  const words = typed.text.trim();
  if (words === '') return await sendDecision(desk, approval, { decision: 'deny', reason: cardWords.notAnswered });
  const content = /^\d+$/.test(words) ? (choices[Number(words) - 1] ?? words) : words;
  return await sendWords(desk, approval, content);
};
