// The search for a terminator stops at the next introducer: otherwise, unterminated sequences would make the scan quadratic.
const sequences = new RegExp(
  [
    // CSI: colors, cursor moves, erasing.
    '(?:\\x1B\\[|\\x9B)[0-?]*[ -/]*[@-~]',
    // OSC: titles, links, clipboard. An unterminated one ends with its line, so that it can't swallow the rest of the output.
    '(?:\\x1B\\]|\\x9D)[^\\0-\\x1F\\x7F-\\x9F]*(?:\\x07|\\x1B\\\\|\\x9C)?',
    // DCS, SOS, PM, APC, only if terminated.
    '(?:\\x1B[PX^_]|[\\x90\\x98\\x9E\\x9F])[^\\x1B\\x90\\x98\\x9C-\\x9F]*(?:\\x1B\\\\|\\x9C)',
    // Everything else that starts with ESC.
    '\\x1B[ -/]*[0-~]',
  ].join('|'),
  'g',
);
// The lookbehind avoids rescanning a long run of carriage returns from each of them.
const windowsLineEnd = /(?<!\r)\r+\n/g;
const controls = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g;
const loneSurrogates = /\p{Cs}/gu;

/**
 * Cleans text for a model (TURN14): removes terminal sequences, control characters except line feed and tab, and malformed characters. If a line
 * was redrawn with carriage returns, only the last version is kept.
 */
export function cleanText(text: string): string {
  return redrawn(text.replaceAll(sequences, '').replaceAll(windowsLineEnd, '\n'))
    .replaceAll(controls, '')
    .replaceAll(loneSurrogates, '\uFFFD');
}

/** A carriage return before the same words is a redraw (`10%`, `20%`); before other words it is an old line break. */
function redrawn(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.split('\n');
  // Lines of only numbers are ambiguous: in a text without line feeds they may be real lines, so keep them all.
  const redraws = (words: string, drawing: string): boolean =>
    words !== '' || lines.length > 1 || drawing.includes('%');
  return lines.map((line) => (line.includes('\r') ? lastDrawing(line.split('\r'), redraws) : line)).join('\n');
}

function lastDrawing(drawings: readonly string[], redraws: (words: string, drawing: string) => boolean): string {
  const kept: string[] = [];
  let words: string | undefined;
  for (const drawing of drawings.filter((candidate) => candidate.trim() !== '')) {
    const next = wordsOf(drawing);
    if (next === words && redraws(next, drawing)) kept.pop();
    kept.push(drawing);
    words = next;
  }
  return kept.join('\n');
}

function wordsOf(drawing: string): string {
  return drawing.replaceAll(/[^\p{L}]/gu, '').slice(0, 12);
}

/** Replaces malformed UTF-8 with U+FFFD and removes a byte order mark. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes);
}
