import { byNumber, HIDDEN_IN_CODE, HIDDEN_IN_PROSE } from '@countersign/protocol';
import { isJoining } from './joiners.js';

// Compiled on first use: most commands print only simple text.
let unsafeText: RegExp | undefined;
let unsafeExact: RegExp | undefined;
/** Characters hidden in prose, and the joiners ZWNJ and ZWJ: names and paths must not differ by an invisible character. */
const unsafe = (): RegExp => (unsafeText ??= new RegExp(`\\r\\n|${HIDDEN_IN_PROSE}|[\\u200C\\u200D]`, 'gu'));
const exact = (): RegExp => (unsafeExact ??= new RegExp(HIDDEN_IN_CODE, 'gu'));

/** More combining marks than any script uses on one letter: a stack of them would paint over other lines. */
const PILE = /\p{M}{5,}/gu;
const MAX_MARKS = 4;

/** Matches nearly all text, which needs no further work. */
const SIMPLE = /^[\t\n\x20-\x7E\u00A1-\u00AC\u00AE-\u02FF]*$/;

/** Removes terminal sequences and hidden characters, which an agent could use to paint over a card. */
export function plainText(text: string): string {
  if (SIMPLE.test(text)) return text;
  return text.replaceAll(unsafe(), shown).replaceAll(PILE, unpiled);
}

/**
 * Like `plainText`, for messages between agents and people: joiners are kept where Persian, Indic scripts and emoji need them. `from` and `to`
 * select a part; the text around it decides whether a joiner at its edge is kept.
 */
export function proseText(text: string, from = 0, to = text.length): string {
  const part = text.slice(from, to);
  if (SIMPLE.test(part)) return part;
  return part
    .replaceAll(unsafe(), (hidden: string, at: number) => (isJoining(text, from + at) ? hidden : shown(hidden)))
    .replaceAll(PILE, unpiled);
}

function shown(hidden: string): string {
  return hidden === '\r\n' ? '\n' : byNumber(hidden);
}

/** Like `plainText`, for text that will run: also shows carriage returns and characters that only look like a space. */
export function exactText(text: string): string {
  if (SIMPLE.test(text)) return text;
  return text.replaceAll(exact(), byNumber).replaceAll(PILE, unpiled);
}

/** JSON for a terminal: the same value for a program, with hidden characters escaped. */
export function exactJson(json: string): string {
  if (SIMPLE.test(json)) return json;
  return json.replaceAll(exact(), (character) =>
    Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}

function unpiled(marks: string): string {
  const all = Array.from(marks);
  return [...all.slice(0, MAX_MARKS), ...all.slice(MAX_MARKS).map(byNumber)].join('');
}

/** Like `plainText`, on one line: a name must not start a line of its own. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll(/[\n\t]+/g, ' ');
}

export function proseLine(text: string): string {
  return proseText(text).replaceAll(/[\n\t]+/g, ' ');
}

/** Output as a terminal shows it, such as of a progress bar: of each line, the text after its last carriage return. Never for text that will run. */
export function printedText(text: string): string {
  return text.includes('\r') ? text.split('\n').map(lastPrinted).join('\n') : text;
}

function lastPrinted(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
