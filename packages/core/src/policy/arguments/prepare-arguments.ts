import { canonicalJson } from '../canonical-json.js';
import { shownValue } from '../default-subjects.js';
import { type Bases, guessSegments } from '../path-text.js';
import { readNumber } from './scan-named.js';

/** One value of an argument, or one of the values in a list or object, as deny and ask rules compare it. */
export interface Leaf {
  readonly text: string;
  /** Without case, compatibility forms and blanks around it. */
  readonly folded: string;
  /** Undefined: it can't be compared with a number. */
  readonly number: number | undefined;
  /** The path that it would name. */
  readonly path: () => readonly string[];
  /** It as a normalised URL, if it is one. */
  readonly url: () => string | undefined;
}

/** The arguments of a call, with what rules need of each worked out once. */
export interface PreparedArguments {
  /** Top-level arguments by name. Undefined: the arguments are not an object. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
  /** Every value that a name stands for; none if it is missing. Names with dots lead into nested values. */
  readonly all: (name: string) => readonly Leaf[];
  /** The one value of a name, as an allow rule compares it. Undefined: it is missing, or there are several. */
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
      const found = valueAt(value, name);
      const told = found === undefined ? undefined : { value: found, text: textOf(found) };
      ones.set(name, told);
      return told;
    },
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Through lists too: a rule about `items.price` is about the price of each item. */
function valuesAt(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, name));
  if (!isRecord(value)) return [];
  const found: unknown[] = Object.hasOwn(value, name) && value[name] !== undefined ? [value[name]] : [];
  for (const [head, rest] of splits(name)) if (Object.hasOwn(value, head)) found.push(...valuesAt(value[head], rest));
  return found;
}

function valueAt(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  for (const [head, rest] of splits(name)) {
    const found = Object.hasOwn(value, head) ? valueAt(value[head], rest) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function* splits(name: string): Generator<readonly [string, string]> {
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    yield [name.slice(0, dot), name.slice(dot + 1)];
  }
}

/** A list or object counts as a whole and by each value in it; a text that is JSON by what it says as well. */
function leavesOf(value: unknown, bases: Bases): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const add = (one: unknown, isWhole: boolean): void => {
    if (Array.isArray(one) || isRecord(one)) {
      const members = Object.values(one).filter((member) => member !== undefined);
      for (const member of members) add(member, false);
      if (isWhole || members.length === 0)
        leaves.push(makeLeaf(textOf(one) ?? '', members.length === 0 ? undefined : Number.NaN, bases));
      return;
    }
    const text = typeof one === 'string' ? one : (textOf(one) ?? String(one));
    leaves.push(makeLeaf(text, numberOf(one), bases));
    const inner = typeof one === 'string' ? readContainer(one) : undefined;
    if (inner !== undefined) for (const member of Object.values(inner)) add(member, false);
  };
  add(value, true);
  return leaves;
}

/** `number`: NaN for a list or object, whose values are compared instead. */
function makeLeaf(text: string, number: number | undefined, bases: Bases): Leaf {
  let folded: string | undefined;
  let path: readonly string[] | undefined;
  let url: { readonly text: string | undefined } | undefined;
  return {
    text,
    number,
    get folded() {
      return (folded ??= foldText(text).trim());
    },
    path: () => (path ??= guessSegments(text, bases)),
    url: () => (url ??= { text: normalUrl(text) }).text,
  };
}

export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function normalUrl(text: string): string | undefined {
  if (!text.includes('://') || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' ? readNumber(value) : undefined;
}

function readContainer(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** As proposals write it. Undefined for what JSON can't say, such as a date that a validator made. */
function textOf(value: unknown): string | undefined {
  try {
    return typeof value === 'string' ? shownValue(value) : canonicalJson(value);
  } catch {
    return undefined;
  }
}
