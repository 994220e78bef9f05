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

/** So many `=` are looked behind: a model chooses the word, and each one costs as much as the rest of it. */
const MOST_EQUALS = 8;

/** What in a word may name a path: all of it, what follows an `=`, and any text in what is JSON, such as a list of files. */
function pathTexts(word: string): readonly string[] {
  const texts = [word];
  for (let at = word.indexOf('='); at >= 0 && texts.length <= MOST_EQUALS; at = word.indexOf('=', at + 1)) {
    const value = word.slice(at + 1);
    texts.push(value, ...textsInJson(value));
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
    // It only began like JSON.
  }
  return found;
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
