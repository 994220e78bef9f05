import { formAnswer } from '@countersign/protocol';
import { askForm } from './ask-form.js';
import { describeQuestion } from '../card/describe-approval.js';
import { lookOf, type Ask } from './approval-prompt.js';
import { sendDecision, sendWords } from './send-answer.js';
import { cardWords } from '../words/cards.js';

/** Asks a question from an agent. Any text answers it; an empty line leaves it unanswered. */
export const askQuestion: Ask = async (prompt, approval, look, signal) => {
  const { keyboard, context } = prompt;
  const choices = approval.question?.choices ?? [];
  const form = approval.question?.form;
  const card = form === undefined ? approval : { ...approval, question: { text: form.lead, choices: [] } };
  keyboard.print(`${describeQuestion(card, { ...look, ...lookOf(context) })}\n`);
  if (form !== undefined) {
    keyboard.print(`${cardWords.formPrompt}\n`);
    const filled = await askForm(form.fields, {
      print: (text) => keyboard.print(text),
      ask: () => keyboard.ask({ prompt: context.paint.amber('  ? '), fresh: true, signal }),
    });
    if (filled.kind === 'filled') return await sendWords(prompt, approval, formAnswer(filled.content));
    if (filled.kind !== 'unanswered') return { kind: filled.kind };
    return await sendDecision(prompt, approval, { decision: 'deny', reason: cardWords.notAnswered });
  }
  keyboard.print(`${cardWords.answerPrompt(choices.length > 0)}\n`);
  const typed = await keyboard.ask({ prompt: context.paint.amber('  ? '), fresh: true, signal });
  if (typed.kind === 'cancelled') return { kind: 'gone' };
  if (typed.kind !== 'line') return { kind: 'left' };
  const words = typed.text.trim();
  if (words === '') return await sendDecision(prompt, approval, { decision: 'deny', reason: cardWords.notAnswered });
  const content = /^\d+$/.test(words) ? (choices[Number(words) - 1] ?? words) : words;
  return await sendWords(prompt, approval, content);
};
