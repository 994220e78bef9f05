import {
  type NamedMode,
  type ScanMode,
  type ScanStep,
  type ValueMode,
  type WordToken,
  plainMode,
  shown,
  valueMode,
  withAnnounced,
} from './scan-mode.js';
import { scanPemBody, scanPemHead } from './scan-pem-word.js';
import { scanPlainWord } from './scan-plain-word.js';
import { roleInValue, scanValueWord } from './scan-value-word.js';

/** Scans one word in the given mode. */
export function scanWord(mode: ScanMode, word: WordToken, known: readonly string[]): ScanStep {
  switch (mode.kind) {
    case 'plain':
      return scanPlain(word, known);
    case 'named':
      return scanAfterName(mode, word, known) ?? scanPlain(word, known);
    case 'value':
      if (roleInValue(mode, word.text) === 'within') return scanWithin(mode, word, known);
      return scanValue(mode, word) ?? scanWord(mode.announced ?? plainMode, word, known);
    case 'list':
      if (word.text === '-') return { pieces: [shown(word.text)], mode: valueMode('item') };
      return scanPlain(word, known);
    case 'pem-head':
      return scanPemHead(mode.privateKey, word, (rest) => scanPlain(rest, known));
    case 'pem-body':
      return scanPemBody(mode, word, (rest) => scanPlain(rest, known));
  }
}

/** Also tracks the mode that the words of the value would have outside it, because that mode applies when the value ends. */
function scanValue(mode: ValueMode, word: WordToken): ScanStep | undefined {
  const step = scanValueWord(mode, word);
  if (step?.mode.kind !== 'value' || !(step.mode.started || step.mode.of === 'scheme')) return step;
  return { ...step, mode: withAnnounced(step.mode, announcedAfter(mode.announced ?? plainMode, word)) };
}

function announcedAfter(mode: ScanMode, word: WordToken): ScanMode {
  if (mode.kind === 'named') {
    const named = readSeparator(mode, word);
    if (named?.rest.text === '') return named.mode;
    if (named !== undefined) return announcedAfter(named.mode, named.rest);
  }
  const { mode: announced } = scanPlainWord(word, []);
  if (announced.kind !== 'plain' || mode.kind !== 'value') return announced;
  return scanValueWord(mode, word)?.mode ?? plainMode;
}

/**
 * Scans a word inside a value that may be a command. Shows it, but masks secrets in it: otherwise, `eval TOKEN="x --password=hunter2"` would
 * show one.
 */
function scanWithin(mode: ValueMode, word: WordToken, known: readonly string[]): ScanStep {
  const step = scanWord(mode.announced ?? plainMode, word, known);
  return { ...step, mode: withAnnounced(mode, step.mode) };
}

function scanPlain(word: WordToken, known: readonly string[]): ScanStep {
  const { value, ...step } = scanPlainWord(word, known);
  if (value === undefined || value.text === '') return step;
  const rest: WordToken = { ...word, text: value.text, before: '' };
  const next = scanValue(value.mode, rest) ?? scanPlainWord({ ...rest, complete: true }, known);
  return { pieces: [...step.pieces, ...next.pieces], mode: next.mode };
}

function scanAfterName(named: NamedMode, word: WordToken, known: readonly string[]): ScanStep | undefined {
  const read = readSeparator(named, word);
  if (read === undefined) return undefined;
  const { separator, mode, rest } = read;
  if (rest.text === '') return { pieces: [shown(separator)], mode };
  const next = scanValue(mode, rest) ?? scanPlain({ ...rest, complete: true }, known);
  return { pieces: [shown(separator), ...next.pieces], mode: next.mode };
}

function readSeparator(
  named: NamedMode,
  word: WordToken,
): { separator: string; mode: ValueMode; rest: WordToken } | undefined {
  const separator = /^(?::=|[:=](?![:=~]))/.exec(word.text)?.[0];
  if (separator === undefined) return undefined;
  return {
    separator,
    mode: valueMode(named.of, word.variable),
    rest: { ...word, text: word.text.slice(separator.length), before: '' },
  };
}
