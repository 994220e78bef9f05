/**
 * Characters a reader can't see or can't tell from a blank: controls, bidi and zero-width marks, foreign spaces, halves
 * of surrogate pairs. A rule that holds one raw would not be the rule its reader signs, so it must be written `\u{…}`.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

export function isHidden(character: string): boolean {
  return HIDDEN.test(character);
}

/** Tabs pass: outside quotes they are blanks. */
export function findHidden(text: string): number {
  const visibleTabs = text.replaceAll('\t', ' ');
  return HIDDEN.exec(visibleTabs)?.index ?? -1;
}
