import { HIDDEN_IN_CODE } from '@countersign/protocol';

/**
 * Characters a reader can't see or can't tell from a blank: controls, bidi and zero-width marks, foreign spaces, halves
 * of surrogate pairs. A rule that holds one raw would not be the rule its reader signs, so it must be written `\u{…}`.
 */
const hidden = new RegExp(`[\\n\\t]|${HIDDEN_IN_CODE}`, 'u');

export function isHidden(character: string): boolean {
  return hidden.test(character);
}

/** The text with such characters as rules write them, for messages. */
export function showHidden(text: string): string {
  return Array.from(text, (character) =>
    isHidden(character) ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : character,
  ).join('');
}

/** Tabs pass: outside quotes they are blanks. */
export function findHidden(text: string): number {
  const visibleTabs = text.replaceAll('\t', ' ');
  return hidden.exec(visibleTabs)?.index ?? -1;
}
