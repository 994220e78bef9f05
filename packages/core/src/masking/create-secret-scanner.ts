import { holdLimit, shellOperators, wordCharacter } from './characters.js';
import { scanDelimiter, scanPair } from './scan-delimiter.js';
import { type Piece, type ScanMode, type ScanStep, plainMode } from './scan-mode.js';
import { scanWord } from './scan-word.js';
import { isVariable, noQuotes, quotesAfterCharacter, quotesAfterPair, quotesAfterWord } from './shell-quotes.js';

export interface SecretScanner {
  push(chunk: string): void;
  /** Scans what was held back, and tells what the text ended in the middle of. */
  end(): ScanMode;
}

export interface ScannerOptions {
  known?: readonly string[];
  start?: ScanMode;
}

const words = new RegExp(`${wordCharacter}+`, 'uy');
const delimiters = new Set(Array.from(` \t\n"'\\${shellOperators}`, (character) => character.charCodeAt(0)));
const onlyWord = new RegExp(`^${wordCharacter}{6,}$`, 'u');

/**
 * Splits text into what may be shown and what may not. Everything depends on the text alone and nothing on how it is cut into chunks:
 * a word is scanned when it is complete, or whenever it reaches the hold limit.
 */
export function createSecretScanner(
  sink: (kind: Piece['kind'], text: string) => void,
  options: ScannerOptions = {},
): SecretScanner {
  const known = (options.known ?? []).filter((secret) => onlyWord.test(secret));
  let buffer = '';
  let mode = options.start ?? plainMode;
  let quotes = noQuotes;
  /** Up to here the buffer is known to be one word. Without it a long word would be read anew with every chunk. */
  let wordEnd = 0;
  let before = '';

  /** From here on the buffer was scanned and is to be shown. Handing it on in one stretch is what makes long texts fast. */
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

  /** Scans the word at `at` and gives the place after it, or `undefined` if more of it may come. */
  function scanWordAt(at: number, end: number, final: boolean): number | undefined {
    const full = end - at >= holdLimit;
    if (!full && end === buffer.length && !final) return undefined;
    let text = buffer.slice(at, full ? at + holdLimit : end);
    if (full && /[\uD800-\uDBFF]$/.test(text)) text = text.slice(0, -1);
    const next = full ? '' : buffer.charAt(end);
    quotes = quotesAfterWord(quotes, text);
    const step = scanWord(mode, { text, before, next, complete: !full, variable: isVariable(quotes.shellWord) }, known);
    const consumed = step.consumed ?? text.length;
    take(step, at, at + consumed);
    before = full ? text.charAt(consumed - 1) : '';
    return at + consumed;
  }

  function scanCharacterAt(at: number, final: boolean): number | undefined {
    const character = buffer.codePointAt(at) === buffer.charCodeAt(at) ? buffer.charAt(at) : buffer.slice(at, at + 2);
    before = '';
    if (character === '\\') return scanPairAt(at, final);
    const earlier = quotes;
    quotes = quotesAfterCharacter(quotes, character);
    const end = at + character.length;
    if (mode.kind !== 'plain') take(scanDelimiter(mode, character, earlier, quotes), at, end);
    return end;
  }

  function scanPairAt(at: number, final: boolean): number | undefined {
    if (at + 1 === buffer.length && !final) return undefined;
    const code = buffer.codePointAt(at + 1);
    const escaped = code === undefined ? '' : String.fromCodePoint(code);
    const end = at + 1 + escaped.length;
    take(scanPair(mode, escaped, quotes), at, end);
    quotes = quotesAfterPair(quotes, escaped);
    return end;
  }

  function scan(final: boolean): void {
    // Half a character waits for its other half.
    const ready = !final && /[\uD800-\uDBFF]$/.test(buffer) ? buffer.length - 1 : buffer.length;
    const half = buffer.slice(ready);
    buffer = buffer.slice(0, ready);
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
  };
}
