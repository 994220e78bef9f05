import { CARD_KEYS } from '../../card/card-keys.js';
import { slashTable } from '../../chat/slash-help.js';
import { CARD_HELP, CARD_TITLE, FILES_HELP, KEYS, SLASH_TITLE } from '../../words/help-chat.js';
import { screenWords } from '../../words/screen.js';
import { span, wrapWords, type Line } from '../../text/spans.js';

const COLUMN = 20;

export function helpLines(width: number): Line[] {
  const cards = CARD_HELP.map(([action, more, what]): [string, string] => [`${CARD_KEYS[action][0]}${more}`, what]);
  return [...KEYS, CARD_TITLE, ...cards, FILES_HELP, SLASH_TITLE, ...slashTable('screen')].flatMap((entry): Line[] => {
    if (typeof entry === 'string') return [[span(` ${entry}`, { bold: true })]];
    const [keys, words] = entry;
    return wrapWords(words, width - COLUMN).map((line, index): Line => [
      span((index === 0 ? `   ${keys}` : '').padEnd(COLUMN), { colour: 'do' }),
      span(line),
    ]);
  });
}

/** The visible lines from `scroll`, with a hint if there are more. */
export function helpWindow(width: number, height: number, scroll: number): Line[] {
  const all = helpLines(width);
  const first = Math.max(0, Math.min(scroll, all.length - height));
  const below = all.length - first - height;
  const shown = all.slice(first, first + height);
  if (below <= 0 || height < 2) return shown;
  return [
    ...shown.slice(0, -1),
    [span(screenWords.moreLines(below + 1, ' · j k PgDn'), { colour: 'waiting', bold: true })],
  ];
}
