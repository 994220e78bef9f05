import { HIDDEN_IN_CODE } from '@countersign/protocol';

/**
 * Characters that are invisible or look like a space: controls, bidi and zero-width marks, other spaces, lone surrogates. With them, a person
 * could approve a rule that differs from what they see, so rules must escape them as `\u{…}`.
 */
const hidden = new RegExp(`[\\n\\t]|${HIDDEN_IN_CODE}`, 'u');

export function isHidden(character: string): boolean {
  return hidden.test(character);
}

/** Escapes hidden characters for messages, as in rules. */
export function showHidden(text: string): string {
  return Array.from(text, (character) =>
    isHidden(character) ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : character,
  ).join('');
}

/** Ignores tabs: outside quotes, they separate words. */
export function findHidden(text: string): number {
  const visibleTabs = text.replaceAll('\t', ' ');
  return hidden.exec(visibleTabs)?.index ?? -1;
}
