import { Fragment, type ReactElement } from 'react';
import { visibleSpans } from '../text/visible-parts.js';
import { cx } from '../ui/cx.js';
import type { Colour } from './colours.js';

/** A line of code with its colours, and with the words that differ from the line beside it. Invisible characters are shown by their number. */
export function CodeText({
  text,
  colours = [],
  differs,
}: {
  text: string;
  colours?: readonly Colour[] | undefined;
  differs?: { readonly from: number; readonly to: number; readonly look: string } | undefined;
}): ReactElement {
  const cuts = [...colours, ...(differs === undefined ? [] : [differs])].flatMap(({ from, to }) => [from, to]);
  const places = [...new Set(cuts)].toSorted((a, b) => a - b);
  let next = 0;
  return (
    <>
      {visibleSpans(text, true).flatMap(({ kind, text: shown, from, to }) => {
        if (kind === 'escape')
          return (
            <span key={from} className="escape font-mono text-[0.85em]">
              {shown}
            </span>
          );
        while ((places[next] ?? to) <= from) next += 1;
        const ends: number[] = [];
        for (; (places[next] ?? to) < to; next += 1) ends.push(places[next] ?? to);
        return [...ends, to].map((end, index) => {
          const start = index === 0 ? from : (ends[index - 1] ?? from);
          const isIn = (one: { from: number; to: number }): boolean => one.from <= start && end <= one.to;
          const look = cx(colours.find(isIn)?.look, differs !== undefined && isIn(differs) && differs.look);
          const part = shown.slice(start - from, end - from);
          return look === '' ? (
            <Fragment key={start}>{part}</Fragment>
          ) : (
            <span key={start} className={look}>
              {part}
            </span>
          );
        });
      })}
    </>
  );
}
