import type { Piece } from './scan-mode.js';
import type { Span } from './spans.js';

const encoded = /%[0-9A-Fa-f]{2}/;

/** False only if the text contains no percent-encoded character. */
export function mayBeEncoded(text: string): boolean {
  return text.includes('%') && encoded.test(text);
}

interface Decoded {
  text: string;
  /** The position of each decoded character in the word, plus one entry for the end. */
  places: number[];
}

/** Decodes a word from a URL or form. Only ASCII is decoded: no name or key contains other characters. */
function decodeWord(word: string): Decoded {
  const places: number[] = [];
  let text = '';
  let from = 0;
  for (const { 0: written, index } of word.matchAll(/%[0-9A-Fa-f]{2}/g)) {
    const code = Number.parseInt(written.slice(1), 16);
    if (!((code >= 32 && code < 127) || code === 9 || code === 10)) continue;
    for (let at = from; at < index; at += 1) places.push(at);
    places.push(index);
    text += word.slice(from, index) + String.fromCharCode(code);
    from = index + written.length;
  }
  for (let at = from; at <= word.length; at += 1) places.push(at);
  return { text: text + word.slice(from), places };
}

/** Finds the secrets in an encoded word. Positions refer to the encoded word: a mask in the decoded text could not be reversed. */
export function findEncoded(word: string, scan: (text: string) => Piece[]): Span[] {
  const { text, places } = decodeWord(word);
  // In forms, a plus is a space, so scan both readings. The undecoded text was already scanned; scanning it again at each depth would multiply
  // the cost.
  const readings = [...(text === word ? [] : [text]), ...(text.includes('+') ? [text.replaceAll('+', ' ')] : [])];
  return readings.flatMap((reading) => {
    const spans: Span[] = [];
    let from = 0;
    for (const piece of scan(reading)) {
      const end = from + piece.text.length;
      if (piece.kind === 'secret') spans.push([places[from] ?? 0, places[end] ?? word.length]);
      from = end;
    }
    return spans;
  });
}

/** Marks these spans as secret, in addition to the pieces that already are. */
export function coverSpans(pieces: readonly Piece[], spans: readonly Span[]): Piece[] {
  const covered: Piece[] = [];
  let at = 0;
  for (const piece of pieces) {
    const end = at + piece.text.length;
    let from = at;
    for (const [start, stop] of piece.kind === 'shown' ? spans : []) {
      if (stop <= from || start >= end) continue;
      const cut = Math.max(start, from);
      if (cut > from) covered.push({ kind: 'shown', text: piece.text.slice(from - at, cut - at) });
      from = Math.min(stop, end);
      covered.push({ kind: 'secret', text: piece.text.slice(cut - at, from - at) });
    }
    if (from < end) covered.push({ ...piece, text: piece.text.slice(from - at) });
    at = end;
  }
  return covered;
}
