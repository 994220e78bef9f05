import { isHidden } from './hidden-characters.js';
import type { PatternWord, Rule } from './types.js';

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** The text of a rule, so that parsing it gives the same rule back. Nothing in it is invisible. */
export function formatRule(rule: Rule): string {
  const head = `${rule.verb} ${rule.tool}`;
  return rule.words === undefined ? head : `${head}(${formatPattern(rule.words)})`;
}

export function formatPattern(words: readonly PatternWord[]): string {
  return words.map(formatWord).join(' ');
}

function formatWord(word: PatternWord): string {
  if (word.length === 0) return "''";
  const [only] = word;
  if (word.length === 1 && only && 'text' in only && readsBetterQuoted(only.text)) return `'${only.text}'`;
  return word.map((piece) => ('text' in piece ? escapeText(piece.text) : '*'.repeat(piece.stars))).join('');
}

function readsBetterQuoted(text: string): boolean {
  return /[ *()"\\]/.test(text) && !text.includes("'") && !isHidden(text);
}

function escapeText(text: string): string {
  return Array.from(text, escapeCharacter).join('');
}

function escapeCharacter(character: string): string {
  if (/[ *()'"\\]/.test(character)) return `\\${character}`;
  const named = NAMED.get(character);
  if (named !== undefined) return named;
  return isHidden(character) ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : character;
}
