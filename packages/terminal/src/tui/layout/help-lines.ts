import { span, type Line } from './spans.js';

const KEYS: readonly (readonly [string, string] | string)[] = [
  'Everywhere',
  ['Tab, Shift-Tab', 'the next part of the screen, the one before'],
  ['PgUp, PgDn', 'scroll'],
  ['Ctrl-G', 'go to what waits for you'],
  ['Ctrl-N, Ctrl-P', 'new chat; chats and agents'],
  ['Ctrl-X', 'stop what goes on in this chat'],
  ['Ctrl-C, q', 'leave; what waits goes on waiting'],
  'Message',
  ['Enter', 'send; Alt-Enter or Ctrl-J begins a new line'],
  ['@', 'at the start of a paragraph: Tab completes a name'],
  'What waits for you (Enter alone signs nothing)',
  ['d', 'deny, with a reason if you like'],
  ['o, then Enter', 'approve once'],
  ['c, then Enter', 'approve for this chat; l: only calls like this'],
  ['a', 'always: shows the rule, Enter signs it'],
  ['e', 'edit what will run, Enter signs that'],
  ['r, 1 to 9', 'answer a question'],
  ['n, N', 'the next one, the one before'],
  'Transcript and chats',
  ['j, k, g, G', 'down, up, to the beginning, to the end'],
  ['x', 'show the output of calls whole, or only its end'],
];

export function helpLines(): Line[] {
  return KEYS.flatMap((entry): Line[] => {
    if (typeof entry === 'string') return [[span(` ${entry}`, { bold: true })]];
    const [keys, words] = entry;
    return [[span(`   ${keys.padEnd(17)}`, { colour: 'do' }), span(words)]];
  });
}
