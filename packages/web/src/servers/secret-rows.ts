/** A variable or header in the form. `saved`: it has a stored value, which is kept if the field is empty. */
export interface SecretRow {
  id: number;
  name: string;
  value: string;
  saved: boolean;
}

export type ReadRows =
  | { ok: true; values: Record<string, string | null> }
  | { ok: false; why: 'no-name' | 'duplicate'; name: string };

/** Null keeps the stored value. Rows with neither name nor value are omitted. */
export function readRows(rows: readonly SecretRow[]): ReadRows {
  const values = new Map<string, string | null>();
  for (const { name: typed, value, saved } of rows) {
    const name = typed.trim();
    if (name === '' && value === '') continue;
    if (name === '') return { ok: false, why: 'no-name', name };
    if (values.has(name)) return { ok: false, why: 'duplicate', name };
    values.set(name, saved && value === '' ? null : value);
  }
  return { ok: true, values: Object.fromEntries(values) };
}

/** The values for a new server, which has no stored ones. */
export function newValues(values: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']));
}

export function savedRows(names: readonly string[]): SecretRow[] {
  return names.map((name, id) => ({ id, name, value: '', saved: true }));
}

/** One per line, without empty lines. */
export function readLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}
