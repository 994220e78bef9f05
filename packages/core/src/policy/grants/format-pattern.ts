import { isHidden, showHidden } from '../patterns/hidden-characters.js';
import type { Condition, Named, PatternWord } from '../types.js';

/** Words that need no escaping. */
const PLAIN_WORD = /^[\w.@/-]+$/;

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Formats conditions so that they parse back to the same conditions. Invisible characters are escaped. */
export function formatNamed({ conditions, open }: Pick<Named, 'conditions' | 'open'>): string {
  return [...conditions.map(formatCondition), ...(open ? ['*'] : [])].join(', ');
}

function formatCondition(condition: Condition): string {
  const name = PLAIN_NAME.test(condition.name) ? condition.name : quoteName(condition.name);
  if (condition.kind === 'compare') return `${name} ${condition.operator} ${condition.number}`;
  const value = formatWord(condition.value, /[ *()"\\,]/);
  // `to==bob` would parse as another operator.
  return `${name}=${/^[=<>]/.test(value) ? '\\' : ''}${value}`;
}

/** Uses double quotes, because they allow escapes. */
function quoteName(name: string): string {
  return `"${Array.from(name, (character) => escapeCharacter(character)).join('')}"`;
}

/** The API's length limit for the rules and patterns in a decision. */
export const LONGEST = 2000;

/** Formats words to offer them. Undefined if the result would be too long: formatting only adds characters, and a model chooses how many there are. */
export function formatShort(words: readonly PatternWord[]): string | undefined {
  let length = 0;
  for (const word of words) {
    for (const piece of word) length += 'text' in piece ? piece.text.length : piece.stars;
    length += 1;
    if (length > LONGEST + 1) return undefined;
  }
  return formatPattern(words);
}

/** Formats words so that they parse back to the same words. Invisible characters are escaped. */
export function formatPattern(words: readonly PatternWord[]): string {
  return words.map((word, at) => guardOperator(formatWord(word), at)).join(' ');
}

/** Escapes the operator of a word such as `FOO=x make` or `a > b`, so that it doesn't parse as a condition. */
function guardOperator(word: string, at: number): string {
  if (at === 0) return word.replace(/^([\p{L}_$][\p{L}\p{N}_$.-]*)([=<>!~,])/u, '$1\\$2');
  return at === 1 && /^[=<>!~]/.test(word) ? `\\${word}` : word;
}

function formatWord(word: PatternWord, special = /[ *()"\\]/): string {
  if (word.length === 0) return "''";
  const [only] = word;
  if (word.length === 1 && only && 'text' in only && PLAIN_WORD.test(only.text)) return only.text;
  const quoted = word.length === 1 && only && 'text' in only && special.test(only.text) && !/'/.test(only.text);
  if (quoted && !isHidden(only.text)) return `'${only.text}'`;
  const escape = (character: string): string => escapeCharacter(character, special);
  return word
    .map((piece) => ('text' in piece ? Array.from(piece.text, escape).join('') : '*'.repeat(piece.stars)))
    .join('');
}

function escapeCharacter(character: string, special = /[ *()"\\]/): string {
  if (special.test(character) || character === "'") return `\\${character}`;
  const named = NAMED.get(character);
  if (named !== undefined) return named;
  return showHidden(character);
}
