import { useState } from 'react';

/** Changes whose marks are kept. */
const MOST = 50;
const KEY = 'countersign.viewed';

type Marks = Readonly<Record<string, readonly string[]>>;

/** The files of a change that a person has marked as viewed. Kept by this browser only: the marks decide nothing. */
export function useViewed(
  change: string,
  person: string | undefined,
): [viewed: ReadonlySet<string>, toggle: (path: string) => void] {
  const id = `${person ?? ''} ${change}`;
  const [marked, setMarked] = useState(() => ({ id, paths: new Set(readMarks()[id] ?? []) }));
  const paths = marked.id === id ? marked.paths : new Set(readMarks()[id] ?? []);
  return [
    paths,
    (path) => {
      const next = new Set(paths);
      if (!next.delete(path)) next.add(path);
      setMarked({ id, paths: next });
      keep(id, [...next]);
    },
  ];
}

function readMarks(): Marks {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept).flatMap(([id, paths]: [string, unknown]) =>
        Array.isArray(paths) ? [[id, paths.filter((path) => typeof path === 'string')]] : [],
      ),
    );
  } catch {
    return {};
  }
}

function keep(id: string, paths: readonly string[]): void {
  const { [id]: _, ...others } = readMarks();
  const latest = [...Object.entries(others).slice(1 - MOST), [id, paths]];
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(latest)));
  } catch {
    // Without storage, the marks last as long as the page.
  }
}
