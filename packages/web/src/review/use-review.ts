import type { ChangeEntry } from '@countersign/client';
import { useCallback, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { reviewWords } from '../words/review.js';

/** Where a person is in a change, and what they have seen of it. */
export interface Review {
  /** With the files of the folders that they listed. */
  readonly entries: readonly ChangeEntry[];
  /** Undefined for the summary. */
  readonly current: ChangeEntry | undefined;
  readonly at: number;
  /** Shows the entry at this place; -1 is the summary. */
  readonly open: (at: number) => void;
  readonly listFilesOf: (folder: string) => void;
  readonly noteListEnd: () => void;
  readonly noteEnd: (path: string) => void;
  /** What must still be shown before a call with this change can be approved. */
  readonly toShow: string | undefined;
}

/** The file is part of the URL, so that a link leads to it, and a reloaded page shows it again. */
export function useReview(all: readonly ChangeEntry[]): Review {
  const [path, go] = useLocation();
  const wanted = new URLSearchParams(useSearch()).get('file') ?? '';
  const [listed, setListed] = useState<ReadonlySet<string>>(new Set());
  const entries = useMemo(
    () =>
      all.flatMap((entry) =>
        entry.kind === 'folder' && (listed.has(entry.path) || entry.files.some((file) => file.path === wanted))
          ? [entry, ...entry.files]
          : [entry],
      ),
    // A file that is open stays listed when its folder was listed before.
    [all, listed, wanted],
  );
  const at = entries.findIndex((entry) => entry.path === wanted);
  const current = entries[at];
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [ended, setEnded] = useState<ReadonlySet<string>>(new Set());
  const [listEnd, setListEnd] = useState<readonly ChangeEntry[]>();
  if (current !== undefined && !opened.has(current.path)) setOpened(new Set([...opened, current.path]));
  const open = useCallback(
    (to: number) => {
      const file = entries[to]?.path;
      go(file === undefined ? path : `${path}?file=${encodeURIComponent(file)}`, { replace: true });
    },
    [entries, go, path],
  );
  const listFilesOf = useCallback((folder: string) => setListed((before) => new Set([...before, folder])), []);
  const noteListEnd = useCallback(() => setListEnd(all), [all]);
  const noteEnd = useCallback((file: string) => setEnded((before) => new Set([...before, file])), []);
  const toShow = useMemo(() => {
    if (listEnd !== all && !all.every((entry) => opened.has(entry.path))) return reviewWords.toShowFiles;
    const folder = all.find((entry) => entry.kind === 'folder' && entry.files.length > 0 && !opened.has(entry.path));
    if (folder !== undefined) return reviewWords.toShowFolder(folder.path);
    const file = all.find((entry) => entry.kind === 'file' && entry.isCall && !ended.has(entry.path));
    return file === undefined ? undefined : reviewWords.toShowEnd(file.path);
  }, [all, listEnd, opened, ended]);
  return { entries, current, at, open, listFilesOf, noteListEnd, noteEnd, toShow };
}
