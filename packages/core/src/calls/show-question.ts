import type { Question } from '@countersign/protocol';
import { maskValue } from '../masking/index.js';
import { capText } from '../results/index.js';
import { textOf } from '../ports/words-of.js';

/** What nobody reads on a card. */
const TEXT_LIMIT_BYTES = 16 * 1024;
const CHOICE_LIMIT_BYTES = 1024;
const MOST_CHOICES = 50;

/** A question as people see it: masked like a call's arguments and truncated. */
export function showQuestion({ text, choices }: Question, secrets: readonly string[]): Question {
  const known = { alreadyKnown: secrets };
  const shown = (part: unknown, limit: number): string => {
    const { value } = maskValue(capText(textOf(part), limit), known);
    return textOf(value);
  };
  return {
    text: shown(text, TEXT_LIMIT_BYTES),
    choices: (choices ?? []).slice(0, MOST_CHOICES).map((choice) => shown(choice, CHOICE_LIMIT_BYTES)),
  };
}
