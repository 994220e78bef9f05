import { type ChangeEntry, type ChangeFolder, type ChangeText, counterparts, type DiffRow } from '@countersign/client';
import { useEffect, useMemo, useState } from 'react';
import { splitLong } from './split-long.js';

/** The lines of a file as they are shown, and for each line that is replaced, the other one. */
export interface ShownText {
  readonly rows: readonly DiffRow[];
  readonly others: ReadonlyMap<DiffRow, DiffRow>;
  readonly missing: string;
}

/** A change with more lines is read in several tasks, so that none blocks the page. */
const MANY = 2000;

/** Undefined while a long change is being read. */
export function useText(entry: ChangeEntry): ShownText | undefined {
  const isLong = entry.kind === 'file' && entry.lines !== undefined && entry.lines.added + entry.lines.removed > MANY;
  const short = useMemo(() => (isLong ? undefined : withOthers(asShown(textOf(entry)))), [entry, isLong]);
  const [long, setLong] = useState<{ entry: ChangeEntry; text: ShownText }>();
  useEffect(() => {
    if (!isLong) return undefined;
    let timer = setTimeout(() => {
      const text = asShown(textOf(entry));
      timer = setTimeout(() => setLong({ entry, text: withOthers(text) }));
    });
    return () => clearTimeout(timer);
  }, [entry, isLong]);
  return short ?? (long?.entry === entry ? long.text : undefined);
}

function textOf(entry: ChangeEntry): ChangeText {
  return entry.kind === 'file' ? entry.read() : listOf(entry);
}

function asShown({ rows, missing }: ChangeText): ChangeText {
  return { rows: splitLong(rows), missing };
}

function withOthers(text: ChangeText): ShownText {
  return { ...text, others: counterparts(text.rows) };
}

/** The paths in a folder that is on one line. */
function listOf({ files }: ChangeFolder): ChangeText {
  return { rows: files.map(({ sign, path }) => ({ kind: 'same', text: `${sign} ${path}` })), missing: '' };
}
