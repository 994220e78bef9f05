import type { Subject } from '@countersign/protocol';
import { looseHost, plainHost } from './host-pattern.js';
import { type Bases, guessSegments, normalSegments } from './path-text.js';
import type { PolicyCall } from './types.js';

/** A subject with what every rule needs to know of it worked out once. */
export type PreparedSubject =
  | {
      readonly kind: 'words';
      readonly words: readonly string[];
      readonly distinct: () => ReadonlySet<string>;
      readonly segments: () => ReadonlySet<string>;
      readonly guessedPaths: () => readonly (readonly string[])[];
    }
  | {
      readonly kind: 'path';
      readonly normal: readonly string[] | undefined;
      readonly guessed: readonly string[];
      readonly segments: () => ReadonlySet<string>;
    }
  | { readonly kind: 'host'; readonly plain: string; readonly loose: string }
  | { readonly kind: 'dynamic' };

export interface PreparedCall {
  readonly tool: string;
  readonly subjects: readonly PreparedSubject[];
  readonly bases: Bases;
}

export function prepareCall(call: PolicyCall): PreparedCall {
  const bases = {
    workingDirectory: normalSegments(call.place.workingDirectory),
    home: normalSegments(call.place.home),
  };
  return { tool: call.tool, bases, subjects: call.subjects.map((subject) => prepareSubject(subject, bases)) };
}

function prepareSubject(subject: Subject, bases: Bases): PreparedSubject {
  switch (subject.kind) {
    case 'words':
      return {
        kind: 'words',
        words: subject.words,
        distinct: once(() => new Set(subject.words)),
        segments: once(() => segmentsOf(subject.words.flatMap(pathTexts), bases)),
        guessedPaths: once(() => subject.words.flatMap(pathTexts).map((text) => guessSegments(text, bases))),
      };
    case 'path':
      return {
        kind: 'path',
        normal: normalSegments(subject.path),
        guessed: guessSegments(subject.path, bases),
        segments: once(() => segmentsOf([subject.path], bases)),
      };
    case 'host':
      return { kind: 'host', plain: plainHost(subject.host), loose: looseHost(subject.host) };
    case 'dynamic':
      return { kind: 'dynamic' };
  }
}

/** What in a word may name a path: all of it, and what follows its first `=`. */
function pathTexts(word: string): readonly string[] {
  const equals = word.indexOf('=');
  return equals < 0 ? [word] : [word, word.slice(equals + 1)];
}

/** Every segment that a text has as it stands, or may get from the folder it is worked out from. */
function segmentsOf(texts: readonly string[], { workingDirectory = [], home = [] }: Bases): ReadonlySet<string> {
  const segments = new Set([...workingDirectory, ...home]);
  for (const text of texts) for (const segment of text.split('/')) segments.add(segment);
  return segments;
}

/** Most calls are judged without ever needing it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
