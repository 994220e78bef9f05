import type { DiffRow, SideRow } from '@countersign/client';
import { useEffect, useState } from 'react';
import type { Colour, colourLines } from './colours.js';

/** A piece is coloured at once, and for some grammars, the time grows with the square: 10,000 characters of C blocked the page for a second. */
const PIECE_ROWS = 50;
const PIECE_CHARS = 4_000;

type Found = ReadonlyMap<DiffRow, readonly Colour[]>;
type Rows = readonly SideRow[];

/**
 * The colours of the lines that are on the screen, as soon as the browser has time. A piece starts without knowing what is above it, so a long comment
 * may have other colours there: they help reading, and mean nothing.
 */
export function useColours(path: string, rows: Rows, first: number, last: number): Found {
  const [colour, setColour] = useState<typeof colourLines>();
  const [found, setFound] = useState<{ rows: Rows; pieces: ReadonlySet<number>; colours: Found }>();
  useEffect(() => {
    let isGone = false;
    void import('./colours.js').then(
      (loaded) => {
        if (!isGone) setColour(() => loaded.colourLines);
      },
      // Without colours, everything can be read.
      () => undefined,
    );
    return () => void (isGone = true);
  }, []);
  const done = found?.rows === rows ? found : undefined;
  const wanted = Array.from(
    { length: Math.floor(last / PIECE_ROWS) - Math.floor(first / PIECE_ROWS) + 1 },
    (_, index) => Math.floor(first / PIECE_ROWS) + index,
  ).find((piece) => done?.pieces.has(piece) !== true);
  useEffect(() => {
    if (colour === undefined || wanted === undefined) return undefined;
    return whenIdle(() => {
      const colours = colourPiece(colour, languageOf(path), rows.slice(wanted * PIECE_ROWS, (wanted + 1) * PIECE_ROWS));
      setFound((before) => {
        const same = before?.rows === rows ? before : undefined;
        return {
          rows,
          pieces: new Set([...(same?.pieces ?? []), wanted]),
          colours: new Map([...(same?.colours ?? []), ...colours]),
        };
      });
    });
  }, [colour, wanted, path, rows]);
  return done?.colours ?? NONE;
}

const NONE: Found = new Map();

/** The old lines are one text and the new ones another. A line that stays has the colours that it has in the new one. */
function colourPiece(colour: typeof colourLines, language: string, rows: Rows): [DiffRow, readonly Colour[]][] {
  const all = [
    ...new Set(rows.flatMap((row) => ('whole' in row ? [row.whole] : [row.left ?? [], row.right ?? []].flat()))),
  ];
  return (['removed', 'added'] as const).flatMap((side) => {
    const own = all.filter(({ kind }) => kind === side || kind === 'same');
    const lines = own.map(({ text }) => text);
    if (own.length === 0 || lines.reduce((sum, { length }) => sum + length, 0) > PIECE_CHARS) return [];
    return (colour(language, lines) ?? []).flatMap((colours, index): [DiffRow, readonly Colour[]][] => {
      const row = own[index];
      return row === undefined ? [] : [[row, colours]];
    });
  });
}

/** `src/a.ts`: `ts`. `Makefile`: `makefile`. */
function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Not all browsers say when they are idle. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(act, 50);
    return () => clearTimeout(timer);
  }
  const asked = requestIdleCallback(act, { timeout: 500 });
  return () => cancelIdleCallback(asked);
}
