import { BETWEEN_MENTIONS, skipSpace } from './characters.js';
import type { Range } from './find-code-spans.js';
import type { NameIndex } from './index-names.js';
import { matchKnown, matchMention, type Mention } from './match-mention.js';
import { readLines, type Line } from './read-lines.js';

/** An `@` after one of these is inside a word, such as an email address, a path or an external handle. */
const INSIDE_WORD = /[\p{L}\p{M}\p{N}_.+%/\\-]$/u;

/** More than any world needs. Without a limit, a message full of mentions would block the process. */
export const MAX_MENTIONS = 1_000;

/** The mentions at the start of each line, in order. Only these address agents (WORLD3). */
export function leadingMentions(content: string, names: NameIndex): Mention[] {
  // Fast path: most messages have no mention.
  if (!content.includes('@')) return [];
  const found: Mention[] = [];
  const text = readLines(content, names);
  const isCode = codeReader(text.code);
  for (const line of text.lines) {
    if (!hasProse(line) || content[line.lead] !== '@' || isCode(line.lead)) continue;
    let mention = matchMention(content, line.lead, line.proseEnd, names);
    while (mention !== undefined) {
      found.push(mention);
      if (found.length === MAX_MENTIONS) return found;
      mention = matchMention(content, skipSpace(content, mention.end, BETWEEN_MENTIONS), line.proseEnd, names);
    }
  }
  return found;
}

/** All agents in the world that are named anywhere in prose, whether addressed or not. */
export function namedAgents(content: string, names: NameIndex): string[] {
  if (!content.includes('@')) return [];
  const found = new Set<string>();
  const text = readLines(content, names);
  const isCode = codeReader(text.code);
  for (const line of text.lines) {
    if (!hasProse(line)) continue;
    for (let at = line.body; at < line.proseEnd; at += 1) {
      if (content[at] !== '@' || isInsideWord(content, at) || isCode(at)) continue;
      const target = matchKnown(content, at, line.proseEnd, names)?.target;
      if (target?.kind === 'agent') found.add(target.agentId);
    }
  }
  return [...found];
}

export function hasProse(line: Line): boolean {
  return line.kind === 'text' || line.kind === 'opening';
}

/** Positions must increase between calls, so that a text with a hundred thousand spans is scanned only once. */
export function codeReader(code: readonly Range[]): (position: number) => boolean {
  let next = 0;
  return (position) => {
    while ((code[next]?.end ?? Infinity) <= position) next += 1;
    return (code[next]?.start ?? Infinity) <= position;
  };
}

function isInsideWord(content: string, at: number): boolean {
  const before = content[at - 1];
  if (before === '@') return true;
  if (before === ' ' || before === '\n') return false;
  return INSIDE_WORD.test(content.slice(Math.max(0, at - 2), at));
}
