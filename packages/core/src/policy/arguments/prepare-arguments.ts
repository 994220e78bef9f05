import { normalizeText } from '@countersign/protocol';
import { canonicalJson } from '../canonical-json.js';
import { shownValue } from '../default-subjects.js';
import { type Bases, guessSegments } from '../patterns/path-text.js';
import { quotedIn, readContainer } from './embedded-values.js';
import { readNumber } from './scan-named.js';

/** An argument value, or a value inside its list or object, in the form that deny and ask rules compare. */
export interface Leaf {
  readonly text: string;
  /** Lowercased, NFKC-normalized and trimmed. */
  readonly folded: string;
  /** Undefined if the value can't be compared with a number. */
  readonly number: number | undefined;
  /** The number without thousands separators, such as 1000 for `1,000`. */
  readonly ungrouped: () => number | undefined;
  /** Possible paths: the text as a path, and as a `file:` URL. */
  readonly paths: () => readonly (readonly string[])[];
  /** For a URL: the normalized URL without user and password, raw and percent-decoded. */
  readonly urls: () => readonly string[];
}

/** The arguments of a call with everything that rules compare, computed once. */
export interface PreparedArguments {
  /** Top-level arguments by name, or undefined if the arguments are not an object. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
  /** All values under a name; empty if the name is missing. A name with dots is a path into nested values. */
  readonly all: (name: string) => readonly Leaf[];
  /** The single value under a name, in the form that an allow rule compares. Undefined if the name is missing or has several values. */
  readonly one: (name: string) => { readonly value: unknown; readonly text: string | undefined } | undefined;
}

export function prepareArguments(value: unknown, bases: Bases): PreparedArguments {
  const leaves = new Map<string, readonly Leaf[]>();
  const ones = new Map<string, ReturnType<PreparedArguments['one']>>();
  return {
    value: isRecord(value) ? value : undefined,
    all(name) {
      const known = leaves.get(name);
      if (known !== undefined) return known;
      const found = valuesAt(value, name).flatMap((one) => leavesOf(one, bases));
      leaves.set(name, found);
      return found;
    },
    one(name) {
      if (ones.has(name)) return ones.get(name);
      const found = onlyValueAt(value, name);
      const one = found === undefined ? undefined : { value: found, text: textOf(found) };
      ones.set(name, one);
      return one;
    },
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Also looks inside lists: a rule about `items.price` applies to the price of each item. */
function valuesAt(value: unknown, name: string): readonly unknown[] {
  return recordsIn(value).flatMap((record) =>
    [
      ownValue(record, name),
      [...splits(name)].map(([head, rest]) => valuesAt(ownValue(record, head)[0], rest)).flat(),
    ].flat(),
  );
}

/** The object, or all objects in a list or JSON text, at any depth. Iterative, because the depth is unlimited. */
function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const records: Readonly<Record<string, unknown>>[] = [];
  const queue = [value];
  for (const next of queue) {
    const read = typeof next === 'string' ? readContainer(next) : next;
    if (Array.isArray(read)) for (const item of read) queue.push(item);
    else if (isRecord(read)) records.push(read);
    else if (typeof next === 'string') queue.push(...quotedIn(next));
  }
  return records;
}

/** Undefined if ambiguous: `{"a.b": 1, "a": {"b": 2}}` has two values for `a.b`. */
function onlyValueAt(value: unknown, name: string): unknown {
  const found = spelledAt(value, name);
  return found.length === 1 ? found[0] : undefined;
}

function spelledAt(value: unknown, name: string): readonly unknown[] {
  if (!isRecord(value)) return [];
  const nested = [...splits(name)].flatMap(([head, rest]) => spelledAt(ownValue(value, head)[0], rest));
  return [...ownValue(value, name), ...nested];
}

function ownValue(record: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  return Object.hasOwn(record, name) && record[name] !== undefined ? [record[name]] : [];
}

function* splits(name: string): Generator<readonly [string, string]> {
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    yield [name.slice(0, dot), name.slice(dot + 1)];
  }
}

/** The values to compare: a list or object as a whole, its values and its numeric keys; for JSON text and quoted text, also their content. */
function leavesOf(value: unknown, bases: Bases): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const queue = [value];
  for (const [index, one] of queue.entries()) {
    const isContainer = Array.isArray(one) || isRecord(one);
    const inner = typeof one === 'string' ? readContainer(one) : isContainer ? one : undefined;
    const members = inner === undefined ? [] : Object.entries(inner).filter(([, member]) => member !== undefined);
    for (const [key, member] of members) {
      queue.push(member);
      // A key is compared with numbers only if it is numeric: `{ value: 5 }` must not match through `value`.
      if (!Array.isArray(inner)) leaves.push(makeLeaf(key, readNumber(key) ?? Number.NaN, bases));
    }
    if (!isContainer) {
      leaves.push(makeLeaf(typeof one === 'string' ? one : (textOf(one) ?? String(one)), numberOf(one), bases));
      if (typeof one === 'string') queue.push(...quotedIn(one));
    } else if (index === 0 || members.length === 0) {
      leaves.push(makeLeaf(textOf(one) ?? '', members.length === 0 ? undefined : Number.NaN, bases));
    }
  }
  return leaves;
}

/** `number` is NaN for a list or object, whose values are compared instead. */
function makeLeaf(text: string, number: number | undefined, bases: Bases): Leaf {
  let folded: string | undefined;
  let paths: readonly (readonly string[])[] | undefined;
  let urls: readonly string[] | undefined;
  return {
    text,
    number,
    get folded() {
      return (folded ??= foldText(text).trim());
    },
    ungrouped: () => (GROUPED.test(text) ? readNumber(text.replaceAll(/[,_'’\s]/g, '')) : undefined),
    paths: () => (paths ??= pathTexts(text).map((one) => guessSegments(one, bases))),
    urls: () => (urls ??= normalUrls(text)),
  };
}

const GROUPED = /^\s*[+-]?\d[\d,_'’\s.]*$/;

export function looksLikePath(text: string): boolean {
  return text.includes('/') || text.includes('\\') || text.startsWith('~');
}

export function foldText(text: string): string {
  return normalizeText(text, 'NFKC').toLowerCase();
}

function pathTexts(text: string): readonly string[] {
  return /^\s*file:/i.test(text) && URL.canParse(text) ? [text, decode(new URL(text).pathname)] : [text];
}

/** Doesn't require `://`: `https:\\example.com` and `https:example.com` are the same URL. */
function normalUrls(text: string): readonly string[] {
  if (!text.includes(':') || !URL.canParse(text)) return [];
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.$/, '');
  url.username = '';
  url.password = '';
  return [url.href, decode(url.href)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' ? readNumber(value) : undefined;
}

/** The text used in rule proposals. Undefined for values that JSON can't represent, such as dates from a validator. */
function textOf(value: unknown): string | undefined {
  try {
    return typeof value === 'string' ? shownValue(value) : canonicalJson(value);
  } catch {
    return undefined;
  }
}
