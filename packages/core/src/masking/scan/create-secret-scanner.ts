import { holdLimit, shellOperators, wordCharacter } from './characters.js';
import { commandAfter } from './command-options.js';
import { coverSpans, findEncoded, mayBeEncoded } from './find-encoded.js';
import { mayHoldVendorKeys } from './find-vendor-keys.js';
import { mayHoldSecret } from './may-hold-secret.js';
import { scanDelimiter, scanPair } from './scan-delimiter.js';
import { type Piece, type ScanMode, type ScanStep, plainMode, valueMode } from './scan-mode.js';
import { scanWord } from './scan-word.js';
import { createScriptsBlock } from './scripts-block.js';
import { secretName } from './secret-names.js';
import { isVariable, noQuotes, quotesAfterCharacter, quotesAfterPair, quotesAfterWord } from './shell-quotes.js';
import { mergeSpans } from './spans.js';

export interface SecretScanner {
  push(chunk: string): void;
  /** Scans the text that was held back, and returns the state at the end. */
  end(): ScanMode;
  /** The command at the end of the text. */
  command(): string | undefined;
  /** How many characters are held back because their word may continue. Undefined inside a secret, or if the next word may be one. */
  held(): number | undefined;
}

export interface ScannerOptions {
  known?: readonly string[];
  start?: ScanMode;
  /** The command that the first words belong to, if the words are passed individually. */
  command?: string | undefined;
  /** How many times the text was decoded. */
  depth?: number;
}

/** Limit on nested encodings. No program decodes text that is nested more deeply. */
const MAX_DEPTH = 3;
/** Limited, because each known secret is searched for in each word. */
const MAX_KNOWN = 100;
/** The longest XML element that is treated as a possible secret. */
const LONGEST_ELEMENT = 1024;

const words = new RegExp(`${wordCharacter}+`, 'uy');
const delimiters = new Set(Array.from(` \t\n"'\\${shellOperators}`, (character) => character.charCodeAt(0)));
const onlyWord = new RegExp(`^${wordCharacter}{6,}$`, 'u');

/**
 * Splits text into secrets and parts that may be shown. The result doesn't depend on chunk boundaries: a word is scanned when it is complete or
 * reaches the hold limit.
 */
export function createSecretScanner(
  sink: (kind: Piece['kind'], text: string) => void,
  options: ScannerOptions = {},
): SecretScanner {
  const known = (options.known ?? []).filter((secret) => onlyWord.test(secret)).slice(0, MAX_KNOWN);
  let buffer = '';
  let mode = options.start ?? plainMode;
  let quotes = noQuotes;
  /** The buffer contains a single word up to this position. Caching it avoids rescanning a long word for every chunk. */
  let wordEnd = 0;
  let before = '';
  let command = options.command;
  /** The name in the current tag, if it announces a secret. */
  let tag: string | undefined;
  let last = '';
  let mayHoldKey = true;
  const scripts = createScriptsBlock();

  /** Start of the scanned text that hasn't been emitted yet. Emitting it in one piece keeps long texts fast. */
  let showFrom = 0;

  function show(until: number): void {
    if (until > showFrom) sink('shown', buffer.slice(showFrom, until));
    showFrom = until;
  }

  function take(step: ScanStep, at: number, end: number): void {
    mode = step.mode;
    if (step.pieces.every(({ kind }) => kind === 'shown')) return;
    show(at);
    for (const { kind, text } of step.pieces) sink(kind, text);
    showFrom = end;
  }

  function endOfWord(at: number): number {
    words.lastIndex = Math.max(at, wordEnd);
    if (words.test(buffer)) wordEnd = words.lastIndex;
    return Math.max(at, wordEnd);
  }

  /** Scans the word at `at` and returns the position after it, or `undefined` if the word may continue. */
  function scanWordAt(at: number, end: number, final: boolean): number | undefined {
    const full = end - at >= holdLimit;
    if (!full && end === buffer.length && !final) return undefined;
    let text = buffer.slice(at, full ? at + holdLimit : end);
    if (full && /[\uD800-\uDBFF]$/.test(text)) text = text.slice(0, -1);
    const next = full ? '' : buffer.charAt(end);
    quotes = quotesAfterWord(quotes, text);
    const word = { text, before, next, complete: !full, variable: isVariable(quotes.shellWord), mayHoldKey, command };
    const step = lookInside(scanWord(mode, word, known), text);
    command = commandAfter(command, text);
    const isScript = scripts.isName(text, last === '"' && next === '"');
    tag = last === '<' && next === '>' && secretName(text) !== undefined ? text : undefined;
    last = '';
    const consumed = step.consumed ?? text.length;
    take(step, at, at + consumed);
    if (isScript && mode.kind === 'named') mode = plainMode;
    before = full ? text.charAt(consumed - 1) : '';
    return at + consumed;
  }

  /** Decodes a word from a URL or form and scans the result: it may contain a whole text with its own names and quotes. */
  function lookInside(step: ScanStep, text: string): ScanStep {
    const depth = options.depth ?? 0;
    if (depth >= MAX_DEPTH || !(mayBeEncoded(text) || text.includes('+'))) return step;
    // The name or option may precede the encoded part, with the secret inside it.
    const expected = mode.kind === 'named' || (mode.kind === 'value' && !mode.started) ? { start: mode } : {};
    let announced: ScanMode | undefined;
    const spans = findEncoded(text, (decoded) => {
      if (mode.kind === 'plain' && known.length === 0 && !mayHoldSecret(decoded)) return [];
      const pieces: Piece[] = [];
      const sinkInner = (kind: Piece['kind'], part: string): void => void pieces.push({ kind, text: part });
      const inner = createSecretScanner(sinkInner, { known, depth: depth + 1, ...expected });
      inner.push(decoded);
      const ended = inner.end();
      // In `password%3D'x'`, the value follows after the word.
      if (ended.kind === 'value' && !ended.started && step.mode.kind === 'plain') announced ??= ended;
      return pieces;
    });
    if (spans.length === 0 && announced === undefined) return step;
    return { ...step, pieces: coverSpans(step.pieces, mergeSpans(spans)), mode: announced ?? step.mode };
  }

  /**
   * `<password>…</password>`. Requires the closing tag, because a shell redirection would match otherwise. `undefined` if more text may come.
   */
  function isElement(name: string, at: number, final: boolean): boolean | undefined {
    const rest = buffer.slice(at + 1, at + 1 + LONGEST_ELEMENT);
    const end = rest.indexOf('<');
    if (end === -1) return final || rest.length === LONGEST_ELEMENT ? false : undefined;
    const closing = `</${name}>`;
    const found = buffer.slice(at + 1 + end, at + 1 + end + closing.length);
    if (found.length < closing.length && closing.startsWith(found)) return final ? false : undefined;
    // A file that is written to must stay visible.
    return found === closing && !/^[/~.]/.test(rest);
  }

  function scanCharacterAt(at: number, final: boolean): number | undefined {
    const character = buffer.codePointAt(at) === buffer.charCodeAt(at) ? buffer.charAt(at) : buffer.slice(at, at + 2);
    before = '';
    if (character === '"') scripts.quote();
    if (character === '\\') return scanPairAt(at, final);
    const element = tag !== undefined && character === '>' ? isElement(tag, at, final) : false;
    if (element === undefined) return undefined;
    const earlier = quotes;
    quotes = quotesAfterCharacter(quotes, character);
    const end = at + character.length;
    if (mode.kind !== 'plain') take(scanDelimiter(mode, character, earlier, quotes), at, end);
    if (element) mode = { ...valueMode('assignment'), quote: 'whole', many: true };
    if ('\n;|&()`'.includes(character)) command = undefined;
    tag = undefined;
    last = character;
    return end;
  }

  /** Triple-nested JSON: the innermost quotes are preceded by 3, 7 or 15 backslashes. */
  function deepQuoteAt(at: number): { length: number; quote: string } | 'unfinished' | undefined {
    let length = 0;
    while (length < 16 && buffer.charAt(at + length) === '\\') length += 1;
    if (at + length === buffer.length && length < 16) return 'unfinished';
    const quote = buffer.charAt(at + length);
    const deep = (length === 3 || length === 7 || length === 15) && (quote === '"' || quote === "'");
    return deep ? { length, quote } : undefined;
  }

  function scanPairAt(at: number, final: boolean): number | undefined {
    last = '';
    tag = undefined;
    const deep = mode.kind === 'named' || mode.kind === 'value' ? deepQuoteAt(at) : undefined;
    if (deep === 'unfinished' && !final) return undefined;
    if (deep !== undefined && deep !== 'unfinished') {
      const end = at + deep.length + 1;
      const { mode: after } = scanPair(mode, deep.quote, quotes);
      take({ pieces: [{ kind: 'shown', text: buffer.slice(at, end) }], mode: after }, at, end);
      for (let pair = 1; pair < deep.length; pair += 2) quotes = quotesAfterPair(quotes, '\\');
      quotes = quotesAfterPair(quotes, deep.quote);
      return end;
    }
    if (at + 1 === buffer.length && !final) return undefined;
    const code = buffer.codePointAt(at + 1);
    const escaped = code === undefined ? '' : String.fromCodePoint(code);
    const end = at + 1 + escaped.length;
    take(scanPair(mode, escaped, quotes), at, end);
    quotes = quotesAfterPair(quotes, escaped);
    return end;
  }

  function scan(final: boolean): void {
    // Hold back half of a surrogate pair until the other half arrives.
    const ready = !final && /[\uD800-\uDBFF]$/.test(buffer) ? buffer.length - 1 : buffer.length;
    const half = buffer.slice(ready);
    buffer = buffer.slice(0, ready);
    mayHoldKey = before !== '' || mayHoldVendorKeys(buffer);
    let at = 0;
    while (at < buffer.length) {
      const end = delimiters.has(buffer.charCodeAt(at)) ? at : endOfWord(at);
      const next = end > at ? scanWordAt(at, end, final) : scanCharacterAt(at, final);
      if (next === undefined) break;
      at = next;
    }
    show(at);
    showFrom = 0;
    buffer = buffer.slice(at) + half;
    wordEnd = Math.max(0, wordEnd - at);
  }

  return {
    push(chunk) {
      buffer += chunk;
      scan(false);
    },
    end() {
      scan(true);
      return mode;
    },
    command: () => command,
    held: () => (mode.kind === 'plain' ? buffer.length : undefined),
  };
}
