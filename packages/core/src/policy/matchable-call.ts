import type { Subject } from '@countersign/protocol';
import { type PreparedArguments, prepareArguments } from './arguments/prepare-arguments.js';
import { type PreparedEffect, prepareEffect } from './effects/effect-matcher.js';
import { looseHosts, plainHost } from './patterns/host-pattern.js';
import { type GivenOptions, readGivenOptions } from './patterns/past-options.js';
import { type Bases, basesOf, foldName, guessSegments, normalSegments } from './patterns/path-text.js';
import type { PolicyCall } from './types.js';

/** A subject with everything that rules compare, computed once. */
export type MatchableSubject =
  | {
      readonly kind: 'words';
      readonly words: readonly string[];
      readonly spell: readonly number[];
      readonly exact: boolean;
      readonly files: readonly number[] | undefined;
      readonly inner: boolean;
      readonly distinct: () => ReadonlySet<string>;
      readonly options: () => GivenOptions;
      readonly segments: () => ReadonlySet<string>;
      readonly guessedPaths: () => readonly (readonly string[])[];
    }
  | {
      readonly kind: 'path';
      readonly argument: string | undefined;
      readonly normal: readonly string[] | undefined;
      readonly guessed: readonly string[];
      readonly segments: () => ReadonlySet<string>;
    }
  | {
      readonly kind: 'host';
      readonly argument: string | undefined;
      readonly plain: string;
      readonly loose: readonly string[];
    }
  | { readonly kind: 'dynamic' };

export interface MatchableCall {
  readonly tool: string;
  readonly subjects: readonly MatchableSubject[];
  readonly bases: Bases;
  /** Whether the call runs in the world's folder. */
  readonly inWorldFolder: boolean;
  /** Undefined if the arguments are unknown or invalid. */
  readonly arguments: PreparedArguments | undefined;
  readonly subjectsFrom: 'tool' | 'arguments';
  /** The subjects that the tool reports for an argument. */
  readonly reportedFor: (argument: string) => readonly MatchableSubject[];
  /** Undefined if the effect is unknown. */
  readonly effect: PreparedEffect | undefined;
  readonly onlyByEffect: boolean;
}

const NONE_REPORTED: readonly MatchableSubject[] = [];

const prepared = new WeakMap<PolicyCall, MatchableCall>();

/** Cached: the gate judges a call when it is requested and again when it starts, and rule proposals need it too. */
export function matchable(call: PolicyCall): MatchableCall {
  const known = prepared.get(call);
  if (known !== undefined) return known;
  const made = toMatchable(call);
  prepared.set(call, made);
  return made;
}

export function toMatchable(call: PolicyCall): MatchableCall {
  const bases = basesOf(call.place);
  const subjects = call.subjects.map((subject) => prepareSubject(subject, bases));
  const reported = subjects.filter((subject) => 'argument' in subject && subject.argument !== undefined);
  return {
    tool: call.tool,
    bases,
    inWorldFolder: call.folder === undefined || call.folder === call.place.workingDirectory,
    subjects,
    reportedFor: (argument) =>
      reported.length === 0 ? NONE_REPORTED : reported.filter((one) => 'argument' in one && one.argument === argument),
    arguments: call.arguments?.ok === true ? prepareArguments(call.arguments.value, bases) : undefined,
    subjectsFrom: call.subjectsFrom ?? 'tool',
    effect: prepareEffect(call.effect, bases),
    onlyByEffect: call.onlyByEffect === true,
  };
}

function prepareSubject(subject: Subject, bases: Bases): MatchableSubject {
  switch (subject.kind) {
    case 'words':
      return {
        kind: 'words',
        words: subject.words,
        spell: subject.spell ?? [],
        exact: subject.exact === true,
        files: subject.files,
        inner: subject.inner === true,
        distinct: once(() => new Set(subject.words)),
        options: once(() => readGivenOptions(subject.words)),
        segments: once(() => segmentsOf(subject.words.flatMap(pathTexts), bases)),
        guessedPaths: once(() => subject.words.flatMap(pathTexts).map((text) => guessSegments(text, bases))),
      };
    case 'path':
      return {
        kind: 'path',
        argument: subject.argument,
        normal: normalSegments(subject.path),
        guessed: guessSegments(subject.path, bases),
        segments: once(() => segmentsOf([subject.path], bases)),
      };
    case 'host':
      return {
        kind: 'host',
        argument: subject.argument,
        plain: plainHost(subject.host),
        loose: looseHosts(subject.host),
      };
    case 'dynamic':
      return { kind: 'dynamic' };
  }
}

/** Maximum number of separators to split at. The model chooses the word, and each split costs time linear in its length. */
const MAX_PARTS = 8;
/** `file=x`, `host:x`, `@x`, `a,x`. */
const SEPARATOR = /[=:@,]/g;

/** The parts of a word that may be a path: the whole word, parts around separators, the value of a short option, and JSON strings. */
function pathTexts(word: string): readonly string[] {
  const texts = [word];
  if (/^-[A-Za-z][~/.]/.test(word)) texts.push(word.slice(2));
  let from = 0;
  let left = MAX_PARTS;
  for (const { index } of word.matchAll(SEPARATOR)) {
    if (left-- === 0) break;
    const value = word.slice(index + 1);
    texts.push(word.slice(from, index), value, ...textsInJson(value));
    from = index + 1;
  }
  return texts;
}

function textsInJson(text: string): readonly string[] {
  if (!text.startsWith('[') && !text.startsWith('{')) return [];
  const found: string[] = [];
  try {
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string') found.push(value);
      return value;
    });
  } catch {
    // Not JSON.
  }
  return found;
}

/** All segments of the texts, raw and folded, and of the folders that they may be relative to. */
function segmentsOf(
  texts: readonly string[],
  { workingDirectory = [], home = [], folded }: Bases,
): ReadonlySet<string> {
  const segments = new Set([...workingDirectory, ...home]);
  for (const segment of folded.workingDirectory ?? []) segments.add(segment);
  for (const segment of folded.home ?? []) segments.add(segment);
  for (const text of texts) {
    for (const segment of text.split('/')) segments.add(segment).add(foldName(segment));
  }
  return segments;
}

/** Computes a value on first use, because most calls don't need it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
