/** Parses a number field strictly: if parsing were lenient, `30s` would remove a limit and `0,7` would become 0. */
export function readNumber(text: string, kind: 'whole' | 'any' = 'any'): number | 'empty' | 'not-a-number' {
  const written = text.trim();
  if (written === '') return 'empty';
  return (kind === 'whole' ? /^\d{1,15}$/ : /^\d{1,15}(?:\.\d{1,15})?$/).test(written)
    ? Number(written)
    : 'not-a-number';
}
