import { type Glob, matchesGlob, wordGlob } from './patterns/glob.js';
import { hostPattern, matchesHost } from './patterns/host-pattern.js';
import { isLoneStar, type Matcher, segmentKey, wordKey } from './matcher.js';
import { matchesPath, pathPattern } from './patterns/path-pattern.js';
import { isFolderWord, isInFolder } from './patterns/in-folder.js';
import type { Bases } from './patterns/path-text.js';
import type { MatchableSubject } from './matchable-call.js';
import type { PatternWord } from './types.js';

/**
 * Interprets the arguments of an allow rule as narrowly as possible (RULE1, RULE6, RULE8): `*` stays within one word and never matches an option.
 * Only a `*` that is the whole last word matches any number of words. Dynamic calls and paths that aren't normalized never match.
 */
export function allowMatcher(words: readonly PatternWord[] | undefined): Matcher {
  if (words === undefined || (words.length === 1 && isLoneStar(words[0]))) {
    return {
      any: true,
      matches: (subject) =>
        subject.kind !== 'dynamic' &&
        !(subject.kind === 'path' && !subject.normal) &&
        !(subject.kind === 'words' && subject.exact),
      missedBy: (subject) => (subject.kind === 'words' && subject.exact ? 'no-sandbox' : undefined),
    };
  }
  const open = isLoneStar(words.at(-1));
  const fixed = open ? words.slice(0, -1) : words;
  const globs = fixed.map((word) => ({
    glob: wordGlob(word),
    startsWithStar: word[0] !== undefined && 'stars' in word[0],
    climbs: climbsIn(word.map((piece) => ('text' in piece ? piece.text : '')).join('*')),
  }));
  // `ls -a ./**`: any number of files in the working folder.
  const files = fixed.length > 1 && isFolderWord(fixed.at(-1)) ? globs.slice(0, -1) : undefined;
  const literal = !open && words.every((word) => word.every((piece) => 'text' in piece));
  const [only, second] = fixed;
  const single = second === undefined ? only : undefined;
  const path = single && pathPattern(single, 'strict');
  const host = single && hostPattern(single);
  const key = (path && segmentKey(path)) ?? wordKey(fixed);

  return {
    any: false,
    ...(key === undefined ? {} : { key }),
    matches: (subject, bases) => {
      switch (subject.kind) {
        case 'dynamic':
          return false;
        case 'path':
          return (
            path !== undefined && subject.normal !== undefined && matchesPath(path, subject.normal, bases, 'strict')
          );
        case 'host':
          return host !== undefined && matchesHost(host, subject.plain);
        case 'words':
          if (files !== undefined && coversFiles(files, subject, bases)) return true;
          return (literal || !subject.exact) && coversWords(globs, open, subject.words, subject.spell);
      }
    },
    missedBy: (subject) => {
      if (subject.kind !== 'words' || !coversWords(globs, open, subject.words, [])) return undefined;
      if (subject.exact && !literal) return 'no-sandbox';
      return coversWords(globs, open, subject.words, subject.spell) ? undefined : 'star';
    },
  };
}

/** The words after the pattern's are operands that the program reads as files, in the working folder. */
function coversFiles(globs: Globs, subject: Extract<MatchableSubject, { kind: 'words' }>, bases: Bases): boolean {
  const { words, spell, files, exact } = subject;
  if (exact || files === undefined) return false;
  const before = globs.length;
  if (!words.every((word, at) => at < before || (files.includes(at) && isInFolder(word, bases.workingDirectory))))
    return false;
  return coversWords(
    globs,
    false,
    words.slice(0, before),
    spell.filter((at) => at < before),
  );
}

type Globs = readonly { readonly glob: Glob; readonly startsWithStar: boolean; readonly climbs: number }[];

function coversWords(globs: Globs, open: boolean, words: readonly string[], spell: readonly number[]): boolean {
  if (!spell.every((at) => spells(globs[at]?.glob, words[at] ?? ''))) return false;
  if (open ? words.length < globs.length : words.length !== globs.length) return false;
  return globs.every(({ glob, startsWithStar, climbs }, index) => {
    const word = words[index] ?? '';
    // `git * x` must not allow `git --exec-path=/tmp x`: an option can change the meaning of the rest.
    if (startsWithStar && word.startsWith('-')) return false;
    // `cat docs/*` must not allow `cat docs/../../.ssh/id_rsa`: `*` must not match path traversal.
    return matchesGlob(glob, word) && climbsIn(word) <= climbs;
  });
}

/** `--prefix=*` spells out `--prefix=x`. A star that covers more than the value doesn't spell it out. */
function spells(glob: Glob | undefined, word: string): boolean {
  if (glob === undefined) return false;
  return glob.length === 1 || (word.includes('=') && (glob[0] ?? '').startsWith(word.slice(0, word.indexOf('=') + 1)));
}

/** Counts the `..` segments in a text that may be a path. */
export function climbsIn(text: string): number {
  return text.includes('..') ? text.split(/\.\.(?=\/)|(?<![^=:,/])\.\.$/).length - 1 : 0;
}
