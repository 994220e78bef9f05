import { AFTER_MENTIONS, BETWEEN_MENTIONS, skipSpace } from './characters.js';
import type { NameIndex } from './index-names.js';
import { matchMention, type Mention } from './match-mention.js';
import { readLines, skipMarkers, type Line } from './read-lines.js';
import { codeReader, hasProse, MAX_MENTIONS } from './scan-mentions.js';

type IsUnwanted = (target: Mention['target']) => boolean;

/**
 * Removes leading mentions from a text. Prose stays prose and code stays code. If nothing has to be removed, the text is returned unchanged.
 */
export function removeMentions(content: string, names: NameIndex, isUnwanted: IsUnwanted): string {
  if (!content.includes('@')) return content;
  const text = readLines(content, names);
  const isCode = codeReader(text.code);
  const parts: string[] = [];
  const budget = { left: MAX_MENTIONS };
  let removed = false;
  let afterEmptied = false;
  let previous: Line['kind'] | undefined;

  for (const line of text.lines) {
    const mayLead = budget.left > 0 && hasProse(line) && !isCode(line.lead);
    const rest = mayLead ? withoutMentions(content, line, names, isUnwanted, budget) : undefined;
    removed ||= rest !== undefined;
    if (rest === '') {
      afterEmptied = true;
      continue;
    }
    // The removed line was between two blank lines; keep only one of them.
    const isSpare = afterEmptied && previous === 'blank' && line.kind === 'blank';
    // Next to a removed line, indentation would turn prose into code.
    const start = afterEmptied && hasProse(line) ? line.body : line.start;
    afterEmptied = false;
    if (isSpare) continue;
    previous = line.kind;
    if (rest === undefined) parts.push(content.slice(start, line.next));
    else parts.push(content.slice(start, line.body), rest, content.slice(line.end, line.next));
  }
  return removed ? withoutBlankStart(parts.join('').trimEnd(), names) : content;
}

/** Keeps the blank line before indented code, which would otherwise become prose. */
function withoutBlankStart(content: string, names: NameIndex): string {
  if (content.trimStart() === content) return content;
  const first = readLines(content, names).lines.find((line) => line.kind !== 'blank');
  return first === undefined || first.kind === 'code' ? content : content.slice(first.start);
}

/** The line's body without the mentions, or undefined if there were none. */
function withoutMentions(
  content: string,
  line: Line,
  names: NameIndex,
  isUnwanted: IsUnwanted,
  budget: { left: number },
): string | undefined {
  const kept: string[] = [];
  let removed = false;
  const markers = splitMarkers(content.slice(line.body, line.lead));
  let { emphasis } = markers;
  let at = line.lead;
  // The text after the last kept mention stays as written. If a mention was removed, separate the rest with a comma: `@bob @me smith` must not
  // become `@bob smith` if there is a Bob Smith.
  let rest = at;
  let joint = '';
  for (; budget.left > 0; budget.left -= 1) {
    let mention = matchMention(content, at, line.proseEnd, names);
    if (mention === undefined && removed && kept.length === 0) {
      // The rest now starts the line, so a mention after Markdown markers would become a leading one.
      const lead = skipMarkers(content, at);
      mention = matchMention(content, lead, line.proseEnd, names);
      if (mention === undefined || !isUnwanted(mention.target)) break;
      if (emphasis === '') ({ emphasis } = splitMarkers(content.slice(at, lead)));
    }
    if (mention === undefined) break;
    if (isUnwanted(mention.target)) {
      removed = true;
      let { end } = mention;
      // Also remove emphasis that contained only the mention: `**@me** hi` becomes `hi`.
      if (kept.length === 0 && emphasis !== '' && content.startsWith(emphasis, end)) {
        end += emphasis.length;
        emphasis = '';
      }
      at = skipSpace(content, end, AFTER_MENTIONS);
      rest = at;
      joint = kept.length > 0 ? ', ' : '';
    } else {
      kept.push(content.slice(mention.start, mention.end));
      at = skipSpace(content, mention.end, BETWEEN_MENTIONS);
      rest = mention.end;
      joint = '';
    }
  }
  if (!removed) return undefined;
  const tail = content.slice(rest, line.end);
  if (kept.length === 0 && tail === '') return '';
  return markers.blocks + emphasis + kept.join(', ') + (tail === '' ? '' : joint + tail);
}

function splitMarkers(markers: string): { blocks: string; emphasis: string } {
  const emphasis = /[*_]*$/.exec(markers)?.[0] ?? '';
  return { blocks: markers.slice(0, markers.length - emphasis.length), emphasis };
}
