import { maskedText, splitSecret } from '../masking/display-form.js';

/**
 * For tests: expands each `‹masked 1›` in `short` to its full form for this text, with its ends and length. Finds the masked part by
 * aligning the two texts.
 */
export function inMaskForm(short: string, text: string): string {
  const mask = /‹masked (\d+)›/g;
  const parts = short.split(mask);
  const pattern = parts.map((part, at) => (at % 2 === 1 ? '([^]+?)' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const secrets = new RegExp(`^${pattern.join('')}$`).exec(text)?.slice(1) ?? [];
  let at = 0;
  return short.replaceAll(mask, (_, number: string) => {
    const { head, middle, tail } = splitSecret(secrets[at] ?? '');
    at += 1;
    return head + maskedText(Number(number), middle.length) + tail;
  });
}
