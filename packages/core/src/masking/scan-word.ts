import {
  type NamedMode,
  type ScanMode,
  type ScanStep,
  type ValueMode,
  type WordToken,
  plainMode,
  shown,
  valueMode,
} from './scan-mode.js';
import { scanPemBody, scanPemHead } from './scan-pem-word.js';
import { scanPlainWord } from './scan-plain-word.js';
import { scanValueWord } from './scan-value-word.js';

/** Scans one word in the light of what came before it. */
export function scanWord(mode: ScanMode, word: WordToken, known: readonly string[]): ScanStep {
  switch (mode.kind) {
    case 'plain':
      return scanPlain(word, known);
    case 'named':
      return scanAfterName(mode, word, known) ?? scanPlain(word, known);
    case 'value':
      return scanValue(mode, word) ?? scanWord(mode.announced ?? plainMode, word, known);
    case 'pem-head':
      return scanPemHead(mode.privateKey, word, (rest) => scanPlain(rest, known));
    case 'pem-body':
      return scanPemBody(mode, word, (rest) => scanPlain(rest, known));
  }
}

function scanValue(mode: ValueMode, word: WordToken): ScanStep | undefined {
  const step = scanValueWord(mode, word);
  if (step?.mode.kind !== 'value' || !step.mode.started) return step;
  const { mode: announced } = scanPlainWord(word, []);
  return { ...step, mode: { ...step.mode, announced: announced.kind === 'plain' ? undefined : announced } };
}

function scanPlain(word: WordToken, known: readonly string[]): ScanStep {
  const { value, ...step } = scanPlainWord(word, known);
  if (value === undefined || value.text === '') return step;
  const rest: WordToken = { ...word, text: value.text, before: '' };
  const next = scanValue(value.mode, rest) ?? scanPlainWord({ ...rest, complete: true }, known);
  return { pieces: [...step.pieces, ...next.pieces], mode: next.mode };
}

function scanAfterName(named: NamedMode, word: WordToken, known: readonly string[]): ScanStep | undefined {
  const separator = /^(?::=|[:=](?![:=~]))/.exec(word.text)?.[0];
  if (separator === undefined) return undefined;
  const mode = valueMode(named.of, word.variable);
  const rest = word.text.slice(separator.length);
  if (rest === '') return { pieces: [shown(separator)], mode };
  const restOfWord: WordToken = { ...word, text: rest, before: '' };
  const next = scanValue(mode, restOfWord) ?? scanPlain({ ...restOfWord, complete: true }, known);
  return { pieces: [shown(separator), ...next.pieces], mode: next.mode };
}
