import {
  type ListMode,
  type PemBodyMode,
  type Piece,
  type PlainMode,
  type ScanMode,
  type ScanStep,
  type ValueMode,
  listMode,
  plainMode,
  secret,
  shown,
  withAnnounced,
} from './scan-mode.js';
import type { QuoteState } from './shell-quotes.js';

/** Scans one character between words. `before` and `after` are the quote states around it. */
export function scanDelimiter(mode: ScanMode, character: string, before: QuoteState, after: QuoteState): ScanStep {
  switch (mode.kind) {
    case 'plain':
      return { pieces: [shown(character)], mode };
    case 'named':
      return { pieces: [shown(character)], mode: /[ \t"']/.test(character) ? mode : plainMode };
    case 'value':
      return { pieces: [shown(character)], mode: valueOrNext(mode, character, before, after) };
    case 'list':
      return { pieces: [shown(character)], mode: /[ \t\n]/.test(character) ? mode : plainMode };
    case 'pem-head':
      return { pieces: [shown(character)], mode: character === ' ' ? mode : plainMode };
    case 'pem-body':
      return pemAfter(mode, character, character);
  }
}

function valueOrNext(mode: ValueMode, character: string, before: QuoteState, after: QuoteState): ScanMode {
  const next = valueAfter(mode, character, before, after);
  if (mode.announced === undefined) return next;
  const announced = scanDelimiter(mode.announced, character, before, after).mode;
  return next.kind === 'value' ? withAnnounced(next, announced) : announced;
}

type AfterValue = ValueMode | PlainMode | ListMode;

function valueAfter(mode: ValueMode, character: string, before: QuoteState, after: QuoteState): AfterValue {
  if (character === '"' || character === "'") return valueAfterQuote(mode, character, before, after);
  const within = mode.many && mode.quote !== '';
  if (character === ' ' || character === '\t') {
    if (within) return mode.spaced ? mode : { ...mode, spaced: true };
    const leading =
      !mode.started && !mode.closed && mode.of !== 'assignment' && (mode.quote === '' || mode.of === 'scheme');
    return leading ? { ...mode, spaced: true } : plainMode;
  }
  if (character === '\n') return beginsList(mode) ? listMode : plainMode;
  if (/\s/.test(character)) return within ? { ...mode, spaced: true } : plainMode;
  if (
    character === ';' &&
    mode.of === 'cookie' &&
    after.trusted &&
    (after.inside === 'single' || after.inside === 'double')
  ) {
    return { ...mode, started: false, separated: true };
  }
  // Invisible characters are shown and change nothing. An operator ends the value even inside quotes, because `eval` removes quotes.
  return /[$`;|&<>()]/.test(character) ? plainMode : mode;
}

/** Whether list items may follow: after `passwords:` at the end of a line, or after an item. Safe in a shell, where no command starts with a dash. */
function beginsList(mode: ValueMode): boolean {
  return mode.of === 'item' || (mode.of === 'field' && !mode.started && !mode.closed && !mode.cautious);
}

function valueAfterQuote(mode: ValueMode, character: '"' | "'", before: QuoteState, after: QuoteState): AfterValue {
  if (mode.quote === 'whole') return mode;
  if (mode.quote !== '') {
    const ends = mode.quote === character || mode.quote.startsWith('\\');
    return ends ? { ...mode, quote: '', many: false, closed: true } : mode;
  }
  if (mode.separated) return plainMode;
  if (mode.closed) return mode;
  const closes = before.inside !== 'nothing' && after.inside === 'nothing';
  if (!mode.started && closes && mode.of === 'flag') return mode;
  if (mode.started || closes) return { ...mode, closed: true };
  const opens = before.inside === 'nothing' && after.inside !== 'nothing';
  return { ...mode, quote: character, many: opens && after.trusted };
}

/** Scans a backslash and the character after it, which is empty at the end of the text. */
export function scanPair(mode: ScanMode, escaped: string, quotes: QuoteState): ScanStep {
  const pair = `\\${escaped}`;
  switch (mode.kind) {
    case 'plain':
      return { pieces: [shown(pair)], mode };
    case 'named':
      return { pieces: [shown(pair)], mode: escaped === '"' || escaped === "'" ? mode : plainMode };
    case 'list':
      return { pieces: [shown(pair)], mode: escaped === 'n' ? mode : plainMode };
    case 'pem-head':
      return { pieces: [shown(pair)], mode: plainMode };
    case 'pem-body':
      return pemAfter(mode, escaped === 'n' || escaped === 'r' ? '\n' : '\\', pair);
    case 'value':
      return pairOrNext(mode, escaped, quotes);
  }
}

function pairOrNext(mode: ValueMode, escaped: string, quotes: QuoteState): ScanStep {
  const step = valueAfterPair(mode, escaped, quotes);
  if (mode.announced === undefined) return step;
  const announced = scanPair(mode.announced, escaped, quotes).mode;
  return { ...step, mode: step.mode.kind === 'value' ? withAnnounced(step.mode, announced) : announced };
}

function valueAfterPair(mode: ValueMode, escaped: string, quotes: QuoteState): ScanStep {
  const show = (next: ScanMode): ScanStep => ({ pieces: [shown(`\\${escaped}`)], mode: next });
  if (escaped === '"' || escaped === "'") {
    if (mode.quote === `\\${escaped}`) return show({ ...mode, quote: '', many: false, closed: true });
    const quoted = quotes.inside === 'single' || quotes.inside === 'double';
    if (mode.quote === '' && !mode.started && !mode.closed)
      return show({ ...mode, quote: `\\${escaped}`, many: quotes.trusted && quoted });
    return show(mode.quote === '' ? { ...mode, closed: true } : mode);
  }
  if (escaped === '\n' && quotes.inside === 'comment') return show(plainMode);
  // A line continuation joins lines, so the same word continues.
  if (escaped === '\n' && quotes.inside !== 'single') return show(mode);
  if (escaped === 'n' && beginsList(mode)) return show(listMode);
  if (/^[nrt]$/.test(escaped)) return show(plainMode);
  if (/^[\s$`;|&<>()]?$/.test(escaped)) return show({ ...mode, spaced: true });
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(escaped)) {
    const piece: Piece = secret(`\\${escaped}`);
    return { pieces: [piece], mode: { ...mode, started: true, separated: false } };
  }
  return show(mode);
}

function pemAfter(mode: PemBodyMode, meaning: string, text: string): ScanStep {
  if (meaning === '\n' || meaning === '\r') {
    // Only full-length lines of a key are joined. After a short line, the line break is shown.
    return {
      pieces: [{ kind: mode.lastLength >= 40 ? 'joint' : 'shown', text }],
      mode: { ...mode, afterBlank: false, header: false },
    };
  }
  if (meaning === ' ' || meaning === '\t') return { pieces: [shown(text)], mode: { ...mode, afterBlank: true } };
  return { pieces: [shown(text)], mode: plainMode };
}
