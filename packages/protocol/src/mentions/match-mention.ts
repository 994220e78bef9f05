import { isSpace } from './characters.js';
import { foldName, type NameIndex, type Target } from './index-names.js';

/** One `@name` in a text, from the `@` to the end of the name. */
export interface Mention {
  start: number;
  end: number;
  target: Target | { kind: 'unknown'; name: string };
}

const PIECE = /[\p{L}\p{M}\p{N}]+|[^\S\n\r]+|[^]/uy;
const UNKNOWN_NAME = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*/uy;
const WORD = /[\p{L}\p{M}\p{N}]/uy;
/** The maximum length of a name. A notice must not repeat a megabyte of text. */
const LONGEST_NAME = 64;

/** Parses the mention at `at`: the longest matching name, or an unknown name. */
export function matchMention(content: string, at: number, end: number, names: NameIndex): Mention | undefined {
  if (content[at] !== '@') return undefined;
  return matchKnown(content, at, end, names) ?? matchUnknown(content, at, end);
}

/** Like `matchMention`, but only for known names. */
export function matchKnown(content: string, at: number, end: number, names: NameIndex): Mention | undefined {
  let longest: Mention | undefined;
  let position = at + 1;
  while (position < end) {
    PIECE.lastIndex = position;
    if (!PIECE.test(content) || PIECE.lastIndex > end) break;
    const isGap = isSpace(content[position]);
    if (isGap && position === at + 1) break;
    position = PIECE.lastIndex;
    if (isGap) continue;
    const read = foldName(content.slice(at + 1, position));
    if (!names.beginnings.has(read)) break;
    const target = names.targets.get(read);
    if (target !== undefined && nameEndsAt(content, position)) longest = { start: at, end: position, target };
  }
  return longest;
}

function matchUnknown(content: string, at: number, end: number): Mention | undefined {
  UNKNOWN_NAME.lastIndex = at + 1;
  if (!UNKNOWN_NAME.test(content)) return undefined;
  let nameEnd = UNKNOWN_NAME.lastIndex;
  while (content[nameEnd - 1] === '-' || content[nameEnd - 1] === '_') nameEnd -= 1;
  if (nameEnd > end || !nameEndsAt(content, nameEnd)) return undefined;
  const written = content.slice(at + 1, Math.min(nameEnd, at + 1 + 2 * LONGEST_NAME));
  const name = written.length <= LONGEST_NAME ? written : Array.from(written).slice(0, LONGEST_NAME).join('');
  return { start: at, end: nameEnd, target: { kind: 'unknown', name } };
}

/**
 * `@bob-hi` doesn't mention bob, `@bob- hi` does. `@bob@x.com` is an address and `@bob/tools` a package: treating them as mentions would
 * silence all other agents.
 */
function nameEndsAt(content: string, position: number): boolean {
  let next = position;
  while (content[next] === '-' || content[next] === '_') next += 1;
  if (next === position && (content[next] === '@' || content[next] === '/')) next += 1;
  WORD.lastIndex = next;
  return !WORD.test(content);
}
