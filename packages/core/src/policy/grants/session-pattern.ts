import type { Subject } from '@countersign/protocol';
import { isByName } from '../compile-policy.js';
import { patternCovers } from './covers-call.js';
import { formatNamed, formatPattern, formatShort, LONGEST } from './format-pattern.js';
import { matchable } from '../matchable-call.js';
import { literal, literalPattern, namedConditions } from './propose-rule.js';
import { parsePattern } from '../rules/read-pattern.js';
import { IN_FOLDER, isFolderWord, isInFolder } from '../patterns/in-folder.js';
import { normalSegments } from '../patterns/path-text.js';
import type { PatternWord, PolicyCall } from '../types.js';

/** People don't read more lines than this before approving. */
const MAX_LINES = 5;

/**
 * What "for this chat" covers unless a person chooses otherwise (CALL5.2), one pattern per line: the same program and options with any files in the
 * working folder, any path in that folder, the same host, or the same arguments. Undefined if nothing narrower than the whole tool covers the call.
 */
export function sessionPattern(call: PolicyCall): string | undefined {
  const lines = linesOf(call);
  if (lines === undefined || lines.size === 0) return undefined;
  const pattern = [...lines].join('\n');
  return pattern.length <= LONGEST && patternCovers(pattern, matchable(call)) ? pattern : undefined;
}

function linesOf(call: PolicyCall): Set<string> | undefined {
  if (call.subjectsFrom === 'arguments') {
    const conditions = namedConditions(call);
    return conditions === undefined ? undefined : new Set([formatNamed({ conditions, open: false })]);
  }
  const lines = new Set<string>();
  for (const subject of call.subjects) {
    if (subject.kind === 'words' && subject.inner === true) continue;
    const line = lineOf(subject, call);
    if (line === undefined) return undefined;
    lines.add(line);
    if (lines.size > MAX_LINES) return undefined;
  }
  return lines;
}

function lineOf(subject: Subject, { place }: PolicyCall): string | undefined {
  const folder = normalSegments(place.workingDirectory);
  if (subject.kind === 'path' && isInFolder(subject.path, folder)) return formatPattern([IN_FOLDER]);
  if (subject.kind !== 'words' || subject.files === undefined || subject.exact === true)
    return literalPattern(subject, place);
  const { words, files } = subject;
  let end = words.length;
  while (end > 1 && files.includes(end - 1) && isInFolder(words[end - 1] ?? '', folder)) end -= 1;
  return formatShort([...words.slice(0, end).map(literal), IN_FOLDER]);
}

/** Whether a pattern has no star except for files in the working folder. Outside the sandbox, a grant covers nothing wider (CALL5.8). */
export function isNarrow(pattern: string): boolean {
  return pattern.split('\n').every((line) => {
    const parsed = parsePattern(line);
    if (!parsed.ok) return false;
    const { named, words = [] } = parsed;
    if (named !== undefined && isByName(named)) {
      return !named.open && named.conditions.every((one) => one.kind === 'equal' && isLiteral(one.value));
    }
    return words.length > 0 && words.every((word) => isLiteral(word) || isFolderWord(word));
  });
}

function isLiteral(word: PatternWord): boolean {
  return word.every((piece) => 'text' in piece);
}
