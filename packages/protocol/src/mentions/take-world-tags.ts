import { isSpace } from './characters.js';
import type { Range } from './find-code-spans.js';
import { foldName, type NameIndex, type Target } from './index-names.js';
import { readLines } from './read-lines.js';
import { codeReader } from './scan-mentions.js';

export interface TaggedAnswer {
  /** The answer without its tags. */
  content: string;
  /** Whether the tags include STOP, DONE or PASS. */
  ended: boolean;
  /** The TO targets that exist. */
  to: Target[];
}

const TAG = /<\s*world\s*>([^<`~]*)<\s*\/\s*world\s*>/giy;
const END = /^(?:stop|done|pass)$/i;
const TO = /^to\s*:/i;
const PUNCTUATION = /[.,;:!?)]/;

/** Reads and removes the `<world>` tags from an answer (WORLD5). Tags in code and unknown tags are plain text. */
export function takeWorldTags(content: string, names: NameIndex): TaggedAnswer {
  let isCode: ((position: number) => boolean) | undefined;
  const tags: Range[] = [];
  const to = new Set<Target>();
  let ended = false;
  for (let at = content.indexOf('<'); at >= 0; at = content.indexOf('<', at + 1)) {
    TAG.lastIndex = at;
    const match = TAG.exec(content);
    if (match === null) continue;
    isCode ??= codeReader(readLines(content, names).code);
    if (isCode(at)) continue;
    const order = (match[1] ?? '').trim();
    if (END.test(order)) ended = true;
    else if (TO.test(order)) for (const target of readNames(order, names)) to.add(target);
    else continue;
    tags.push({ start: at, end: at + match[0].length });
    at += match[0].length - 1;
  }
  return { content: tags.length === 0 ? content : cut(content, tags), ended, to: [...to] };
}

function readNames(order: string, names: NameIndex): Target[] {
  const listed = order.slice(order.indexOf(':') + 1).split(/[,@]/);
  return listed.flatMap((name) => names.targets.get(foldName(name)) ?? []);
}

function cut(content: string, tags: readonly Range[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const gap of withSpaceAround(content, tags)) {
    parts.push(content.slice(from, gap.start));
    const startsLine = gap.start === 0 || isLineEnd(content[gap.start - 1]);
    const endsLine = gap.end === content.length || isLineEnd(content[gap.end]);
    from = gap.end;
    // Remove a line that contains nothing but the tag.
    if (startsLine && endsLine) from += content.startsWith('\r\n', from) ? 2 : 1;
    else if (!startsLine && !endsLine && !PUNCTUATION.test(content[gap.end] ?? '')) parts.push(' ');
  }
  parts.push(content.slice(from));
  return parts.join('').trimEnd();
}

/** Ranges of tags with the surrounding whitespace. Tags separated only by whitespace become one range. */
function withSpaceAround(content: string, tags: readonly Range[]): Range[] {
  const gaps: Range[] = [];
  for (const tag of tags) {
    const last = gaps.at(-1);
    let { start, end } = tag;
    while (start > (last?.end ?? 0) && isSpace(content[start - 1])) start -= 1;
    while (end < content.length && isSpace(content[end])) end += 1;
    if (last !== undefined && start <= last.end) last.end = end;
    else gaps.push({ start, end });
  }
  return gaps;
}

function isLineEnd(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}
