/** Controls, lone surrogates, line separators and marks that turn the direction of text. Line feed and tab stay. */
const UNSAFE = /[\0-\x08\x0B-\x1F\x7F-\x9F\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Text that moves no cursor and colours nothing: with a terminal's sequences an agent could paint over a card what it does not ask for. */
export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNSAFE, (character) => {
    return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}

/** Every line behind a bar: only our own lines stand without one, so what an agent wrote can't pass for a card. */
export function behindBar(text: string): string {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `  │ ${line}`)
    .join('\n');
}
