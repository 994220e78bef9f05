import { readOption } from './command-options.js';
import { findUrlCredentials } from './find-url-credentials.js';
import { findVendorKeys } from './find-vendor-keys.js';
import {
  type Piece,
  type ScanStep,
  type ValueMode,
  type WordToken,
  plainMode,
  secret,
  shown,
  valueMode,
} from './scan-mode.js';
import { secretNameBefore } from './secret-names.js';
import { type Span, mergeSpans } from './spans.js';

/** How many characters of an unfinished word are scanned again with the rest, to find keys across the split. */
const overlap = 1024;

export interface PlainWordStep extends ScanStep {
  /** For `name=value`: the value, to be scanned in the step's mode. */
  value?: { mode: ValueMode; text: string };
}

/** Scans a word that is not expected to be a secret. */
export function scanPlainWord(word: WordToken, known: readonly string[]): PlainWordStep {
  const { text } = word;
  if (text.endsWith('-----BEGIN')) return { pieces: [shown(text)], mode: { kind: 'pem-head', privateKey: false } };
  // Fast path for most words: too short for a key, and not a name with a value.
  if (text.length < 12 && word.complete && known.length === 0 && word.command === undefined && !/[=:]/.test(text)) {
    return { pieces: [shown(text)], mode: modeAfter(word) };
  }
  const option = readOption(word.command, text);
  if (option !== undefined && option.option.length < text.length && option.takes !== 'next') {
    const mode = valueMode(option.takes === 'user' ? 'user' : 'assignment', word.variable);
    return { pieces: [shown(option.option)], mode, value: { mode, text: text.slice(option.option.length) } };
  }
  const asUnknown = !word.complete || '$`;|&()\\'.includes(word.next || ' ');
  const urls = findUrlCredentials(text, asUnknown);
  const assignment = findAssignment(word, urls.authorities);
  const visible = assignment === undefined ? text : text.slice(0, assignment.from);
  const spans = mergeSpans(
    [...(word.mayHoldKey ? findVendorKeys(text, word.before) : []), ...urls.secrets, ...findKnown(visible, known)].map(
      ([start, end]): Span => [start, Math.min(end, visible.length)],
    ),
  );
  if (assignment !== undefined) {
    const value = { mode: assignment.mode, text: text.slice(assignment.from) };
    return { pieces: cutOut(visible, spans), mode: value.mode, value };
  }
  if (!word.complete) return cutLongWord(text, spans);
  return { pieces: cutOut(text, spans), mode: modeAfter(word) };
}

function findAssignment(
  { text, variable }: WordToken,
  authorities: readonly Span[],
): { from: number; mode: ValueMode } | undefined {
  let passed = 0;
  for (const match of text.matchAll(/[=:]/g)) {
    const at = match.index;
    while (at >= (authorities[passed]?.[1] ?? Infinity)) passed += 1;
    if (at >= (authorities[passed]?.[0] ?? Infinity)) continue;
    const next = text.charAt(at + 1);
    const colon = match[0] === ':';
    if (!colon && /^--(?:proxy-)?user$/.test(text.slice(0, at)))
      return { from: at + 1, mode: valueMode('user', variable) };
    if (colon && (next === ':' || text.charAt(at - 1) === ':' || text.startsWith('//', at + 1))) continue;
    const kind = secretNameBefore(text, at);
    if (kind === undefined) continue;
    const of = kind === 'other' ? (colon ? 'field' : 'assignment') : kind;
    // `:=` is an assignment too.
    const from = colon && next === '=' ? at + 2 : at + 1;
    return { from, mode: valueMode(of, variable) };
  }
  return undefined;
}

function modeAfter({ text, variable, command }: WordToken): ScanStep['mode'] {
  const option = readOption(command, text);
  if (option?.option === text) {
    if (command !== 'a setting') return valueMode(NEXT[option.takes], variable);
    if (secretNameBefore(text, text.length) !== undefined) return valueMode('flag', variable);
  }
  if (text === '-u' || text === '--user' || text === '--proxy-user') return valueMode('user', variable);
  if (text === 'Bearer' || text.endsWith(':Bearer')) return valueMode('bearer', variable);
  const kind = secretNameBefore(text, text.length);
  if (kind === undefined) return plainMode;
  if (/^--?[A-Za-z][\w.-]*$/.test(text)) return valueMode(kind === 'other' ? 'flag' : kind, variable);
  return { kind: 'named', of: kind === 'other' ? 'field' : kind };
}

/** The secret of an attached option starts right after it, even if quoted. A space means that there is no secret. */
const NEXT = { attached: 'assignment', next: 'flag', user: 'user' } as const;

function findKnown(text: string, known: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const secretText of known) {
    for (let at = text.indexOf(secretText); at !== -1; at = text.indexOf(secretText, at + secretText.length)) {
      spans.push([at, at + secretText.length]);
    }
  }
  return spans;
}

function cutLongWord(text: string, spans: readonly Span[]): ScanStep {
  const across = spans.find(([start, end]) => start < text.length - overlap && end > text.length - overlap);
  // A key that reaches the hold limit may continue, so the rest of the word is masked too.
  if (across !== undefined && across[1] === text.length) {
    return { pieces: cutOut(text, spans), mode: { ...valueMode('assignment'), started: true } };
  }
  let cut = across === undefined ? text.length - overlap : across[1];
  if (/[\uD800-\uDBFF]$/.test(text.slice(cut - 1, cut))) cut -= 1;
  return {
    pieces: cutOut(
      text.slice(0, cut),
      spans.filter(([start]) => start < cut),
    ),
    mode: plainMode,
    consumed: cut,
  };
}

function cutOut(text: string, spans: readonly Span[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const [start, end] of spans) {
    if (start > from) pieces.push(shown(text.slice(from, start)));
    pieces.push(secret(text.slice(start, end)));
    from = end;
  }
  if (from < text.length) pieces.push(shown(text.slice(from)));
  return pieces;
}
