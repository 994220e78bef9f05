import type { EffectPaths } from '../../ports/tools/tool.js';
import { matchesPath, type PathPattern } from '../patterns/path-pattern.js';
import { type Bases, foldName, normalSegments } from '../patterns/path-text.js';
import type { EffectClause, PatternWord, Verb } from '../types.js';
import { effectPattern, refPattern } from './effect-clause.js';

type Paths = readonly (readonly string[])[];

interface Reading {
  readonly added: Paths;
  readonly changed: Paths;
  readonly removed: Paths;
  readonly refs: Paths;
}

/** An effect with absolute paths, as rules compare them. */
export interface PreparedEffect {
  readonly exact: Reading;
  /** With names folded, for deny and ask rules. */
  readonly folded: Reading;
  /** Whether an allow rule may cover it: nothing was left out, and no link leads out of the working folder. */
  readonly isCoverable: boolean;
}

/** Undefined, which counts as unknown, if the folder or one of the paths isn't normalized. */
export function prepareEffect(effect: EffectPaths | undefined, bases: Bases): PreparedEffect | undefined {
  const { workingDirectory, folded } = bases;
  if (effect === undefined || workingDirectory === undefined || folded.workingDirectory === undefined) return undefined;
  const { refs: names = [] } = effect;
  const [added, changed, removed, refs] = [effect.added, effect.changed, effect.removed, names].map(toSegments);
  if (added === undefined || changed === undefined || removed === undefined || refs === undefined) return undefined;
  const below = (base: readonly string[], paths: Paths): Paths => paths.map((path) => [...base, ...path]);
  const fold = (paths: Paths): Paths => paths.map((path) => path.map(foldName));
  const read = (base: readonly string[], change: (paths: Paths) => Paths): Reading => ({
    added: below(base, change(added)),
    changed: below(base, change(changed)),
    removed: below(base, change(removed)),
    refs: change(refs),
  });
  return {
    exact: read(workingDirectory, (paths) => paths),
    folded: read(folded.workingDirectory, fold),
    isCoverable: effect.leftOut.length === 0 && effect.outward.length === 0,
  };
}

/** `.` is the working folder itself. */
function toSegments(paths: readonly string[]): Paths | undefined {
  const segments = paths.map((path) => (path === '.' ? [] : normalSegments(`/${path}`)));
  return segments.every((one) => one !== undefined) ? segments : undefined;
}

export type EffectMatcher = (effect: PreparedEffect, bases: Bases) => boolean;

/** An allow rule covers an effect only as a whole. A deny or ask rule matches if one path does. */
export function effectMatcher(clause: EffectClause, verb: Verb): EffectMatcher {
  const read = (words: readonly PatternWord[]): readonly PathPattern[] =>
    words.flatMap((word) => effectPattern(word, verb) ?? []);
  const [writing, changing, removing] = [read(clause.writing), read(clause.changing), read(clause.removing)];
  const moving = clause.moving.flatMap((word) => refPattern(word, verb) ?? []);
  if (verb !== 'allow') {
    return ({ folded: { added, changed, removed, refs } }, bases) => {
      const touches = (patterns: readonly PathPattern[], ...all: Paths[]): boolean =>
        all.some((paths) =>
          paths.some((path) => patterns.some((pattern) => matchesPath(pattern, path, bases, 'liberal'))),
        );
      return (
        touches(writing, added, changed) ||
        touches(changing, added, changed, removed) ||
        touches(removing, removed) ||
        touches(moving, refs)
      );
    };
  }
  return ({ exact: { added, changed, removed, refs }, isCoverable }, bases) => {
    const covers = (paths: Paths, patterns: readonly PathPattern[]): boolean =>
      paths.every((path) => patterns.some((pattern) => matchesPath(pattern, path, bases, 'strict')));
    return (
      isCoverable &&
      covers(added, writing) &&
      covers(changed, [...writing, ...changing]) &&
      covers(removed, removing) &&
      covers(refs, moving)
    );
  };
}
