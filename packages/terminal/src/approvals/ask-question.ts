import { describeQuestion } from './describe-approval.js';
import { lookOf, type Ask } from './desk.js';
import { sendDecision, sendWords } from './send-answer.js';

/** A question of an agent: any words answer it, and an empty line leaves it unanswered. */
export const askQuestion: Ask = async (desk, approval, look, signal) => {
  const { keyboard, context } = desk;
  const choices = approval.question?.choices ?? [];
  keyboard.print(`${describeQuestion(approval, { ...look, ...lookOf(context) })}\n`);
  keyboard.print(
    `  Type your answer${choices.length > 0 ? ', or with the number of a choice' : ''}. Enter leaves it unanswered.\n`,
  );
  const typed = await keyboard.ask({ prompt: context.paint.amber('  ? '), fresh: true, signal });
  if (typed.kind === 'cancelled') return { kind: 'gone' };
  if (typed.kind !== 'line') return { kind: 'left' };
  const words = typed.text.trim();
  if (words === '') return await sendDecision(desk, approval, { decision: 'deny', reason: 'not answered' });
  const content = /^\d+$/.test(words) ? (choices[Number(words) - 1] ?? words) : words;
  return await sendWords(desk, approval, content);
};
