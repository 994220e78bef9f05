/** A place that the palette goes to. */
export interface PaletteEntry {
  /** Unique. */
  readonly path: string;
  readonly label: string;
  /** What it is, such as "Chat". */
  readonly kind: string;
}

/** Entries whose label or kind contains each typed word, in their order; those whose label starts with the text come first. */
export function findEntries(entries: readonly PaletteEntry[], typed: string, most: number): PaletteEntry[] {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/);
  const found = entries.filter(({ label, kind }) => {
    const all = `${label} ${kind}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const isFirst = ({ label }: PaletteEntry): boolean => label.toLowerCase().startsWith(text);
  return [...found.filter(isFirst), ...found.filter((entry) => !isFirst(entry))].slice(0, most);
}
