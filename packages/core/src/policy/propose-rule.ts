import { type Subject, toolNameSchema } from '@countersign/protocol';
import { coversCall } from './covers-call.js';
import { formatPattern } from './format-rule.js';
import { plainHost } from './host-pattern.js';
import { normalSegments } from './path-text.js';
import type { PatternWord, Place } from './types.js';

/**
 * The narrowest allow rule for this very call: its words, path or host, literally. Undefined where one rule can't say
 * it: something dynamic, several different subjects, none at all (only "any arguments" would cover that), or too long.
 */
export function proposeRule(tool: string, subjects: readonly Subject[], place: Place): string | undefined {
  // A name with a star in it would be read back as a rule for many tools.
  if (!toolNameSchema.safeParse(tool).success) return undefined;
  const patterns = new Set(subjects.map((subject) => literalPattern(subject, place)));
  const [pattern] = patterns;
  if (patterns.size !== 1 || pattern === undefined) return undefined;
  const rule = `allow ${tool}(${pattern})`;
  return coversCall(rule, { tool, subjects, place }) ? rule : undefined;
}

function literalPattern(subject: Subject, place: Place): string | undefined {
  switch (subject.kind) {
    case 'words':
      return formatPattern(subject.words.map(literal));
    case 'path':
      return formatPattern([literal(shortPath(subject.path, place))]);
    case 'host':
      return formatPattern([literal(plainHost(subject.host))]);
    case 'dynamic':
      return undefined;
  }
}

function literal(text: string): PatternWord {
  return text === '' ? [] : [{ text }];
}

/** As a person would write it: under the working folder `./…`, under home `~/…`. */
function shortPath(path: string, place: Place): string {
  const folders = [
    ['.', place.workingDirectory],
    ['~', place.home],
  ] as const;
  for (const [sign, folder] of folders) {
    if (folder === '/' || normalSegments(folder) === undefined) continue;
    if (path === folder) return sign;
    if (path.startsWith(`${folder}/`)) return sign + path.slice(folder.length);
  }
  return path;
}
