import { CODE_OPTIONS, type CodeOptions, EVERYWHERE } from './code-options.js';
import { gitWordsToSpell } from './git-words.js';
import { baseName } from './programs.js';

/**
 * Positions of words in a simple command that are known to run code, redirect the program or make it write. Deny and ask rules search them for
 * commands. The allowlists in `star` decide what an allow rule covers.
 */
export function codeWords(words: readonly string[]): readonly number[] {
  const program = baseName(words[0] ?? '');
  const options = Object.hasOwn(CODE_OPTIONS, program) ? (CODE_OPTIONS[program] ?? {}) : {};
  const found = new Set<number>();
  for (const [at, word] of words.entries()) {
    if (at > 0 && isCodeOption(word, options)) found.add(at);
  }
  switch (program) {
    case 'git':
      for (const at of gitWordsToSpell(words)) found.add(at);
      break;
    case 'tar':
      // `tar xIf cat x.tar`: the first word contains options, with or without a dash.
      if (/[IFTPC]/.test(words[1] ?? '') && /^[A-Za-z]+$/.test(words[1] ?? '')) found.add(1);
      break;
    case 'uniq':
    case 'xxd':
      // The second file is the output.
      for (const at of operands(words).slice(1)) found.add(at);
      break;
    case 'sed':
      for (const { at, text } of sedScripts(words)) if (!isHarmlessSed(text)) found.add(at);
      break;
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      for (const [at, word] of words.entries()) if (!isHarmlessAwk(word)) found.add(at);
      break;
  }
  return [...found].sort((a, b) => a - b);
}

function isCodeOption(word: string, { letters = '', long = [], words = [], form }: CodeOptions): boolean {
  if (words.includes(word) || form?.test(word) === true) return true;
  if (!word.startsWith('-') || word === '-' || word === '--') return false;
  const name = plainName(word.replace(/^-+/, '').replace(/=.*$/s, ''));
  const doubled = word.startsWith('--');
  const isLong = (option: string): boolean =>
    name === option || ((doubled || name.length > 3) && name !== '' && option.startsWith(name));
  if (long.map(plainName).some(isLong) || EVERYWHERE_PLAIN.some(isLong)) return true;
  return !doubled && Array.from(letters).some((letter) => word.includes(letter));
}

const EVERYWHERE_PLAIN = EVERYWHERE.map(plainName);

/** Many programs treat `--globalSetup`, `--global-setup` and `--global_setup` as the same option. */
function plainName(option: string): string {
  return option.replaceAll(/[-_]/g, '').toLowerCase();
}

function operands(words: readonly string[]): readonly number[] {
  const places = [...words.keys()].slice(1);
  const end = words.indexOf('--');
  return places.filter((at) => at !== end && ((end >= 0 && at > end) || !/^-./.test(words[at] ?? '')));
}

/** The words that are program text: those after `-e`, or otherwise the first operand. */
function sedScripts(words: readonly string[]): readonly { at: number; text: string }[] {
  const found: { at: number; text: string }[] = [];
  let operand: { at: number; text: string } | undefined;
  let ended = false;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (ended || !word.startsWith('-') || word === '-') operand ??= { at, text: word };
    else if (word === '--') ended = true;
    else if (word.startsWith('--')) {
      const [name = '', ...rest] = word.split('=');
      if (!'--expression'.startsWith(name)) continue;
      if (rest.length > 0) found.push({ at, text: rest.join('=') });
      else found.push({ at: (at += 1), text: words[at] ?? '' });
    } else {
      const option = /^-[nrEsuzb]*([efl])(.*)$/s.exec(word);
      if (option === null) continue;
      const [, letter, stuck = ''] = option;
      const text = stuck === '' ? (words[(at += 1)] ?? '') : stuck;
      if (letter === 'e') found.push({ at, text });
    }
  }
  return found.length > 0 || operand === undefined ? found : [operand];
}

/** Accepts substitutions without the flags that run or write, and addresses with a command that only prints, deletes or quits. */
function isHarmlessSed(script: string): boolean {
  const address = String.raw`(?:\d+|\$|/[^/\n\\]*/)`;
  const one = String.raw`(?:${address}(?:,${address})?)?(?:[pdqQ=]|s([/|,#:@!])(?:(?!\1)[^\n\\]|\\.)*\1(?:(?!\1)[^\n\\]|\\.)*\1[gpiI0-9]*)`;
  return script.split(';').every((part) => new RegExp(`^ *${one} *$`).test(part));
}

/** Accepts nothing that calls functions, pipes, writes or reads other files. */
function isHarmlessAwk(script: string): boolean {
  return !/system|getline|close|fflush|[|>@]|\binclude\b|\bload\b/.test(script);
}
