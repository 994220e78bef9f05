import { span, wrapWords, type Line } from './spans.js';

const KEYS: readonly (readonly [string, string] | string)[] = [
  'Everywhere',
  ['Tab, Shift-Tab', 'the next part of the screen, the one before'],
  ['PgUp, PgDn', 'scroll'],
  ['Ctrl-G', 'go to the waiting calls'],
  ['Ctrl-N, Ctrl-P', 'new chat; chats and agents'],
  ['Ctrl-X', 'stop this chat'],
  ['Ctrl-C, q', 'leave; waiting calls stay in the queue'],
  'Message',
  ['Enter', 'send; Alt-Enter or Ctrl-J begins a new line'],
  ['@', 'at the start of a paragraph: Tab completes a name'],
  'Waiting calls (Enter alone signs nothing)',
  ['d', 'deny, with a reason if you like'],
  ['o, then Enter', 'approve once'],
  ['c, then Enter', 'approve for this chat; l: only calls like this'],
  ['a', 'always: shows the rule, Enter signs it'],
  ['e', 'edit what will run, Enter signs that'],
  ['v', 'show masked secrets; recorded in the audit log'],
  ['r, 1 to 9', 'answer a question'],
  ['n, N', 'the next one, the one before'],
  'Transcript and chats',
  ['j, k, g, G', 'down, up, to the beginning, to the end'],
  ['x', 'show all output of calls, or only the end'],
];

const COLUMN = 20;

export function helpLines(width: number): Line[] {
  return KEYS.flatMap((entry): Line[] => {
    if (typeof entry === 'string') return [[span(` ${entry}`, { bold: true })]];
    const [keys, words] = entry;
    return wrapWords(words, width - COLUMN).map((line, index): Line => [
      span((index === 0 ? `   ${keys}` : '').padEnd(COLUMN), { colour: 'do' }),
      span(line),
    ]);
  });
}

/** The lines from `scroll` on that fit; that there are more is seen. */
export function helpWindow(width: number, height: number, scroll: number): Line[] {
  const all = helpLines(width);
  const first = Math.max(0, Math.min(scroll, all.length - height));
  const below = all.length - first - height;
  const shown = all.slice(first, first + height);
  if (below <= 0 || height < 2) return shown;
  return [...shown.slice(0, -1), [span(` ↓ ${below + 1} more lines · j k PgDn`, { colour: 'waiting', bold: true })]];
}
