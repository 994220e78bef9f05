/**
 * What stands in a field for a number. Read loosely, `30s` would take a limit away and `0,7` would be nought: only what is a number
 * from its first letter to its last is one.
 */
export function readNumber(text: string, kind: 'whole' | 'any' = 'any'): number | 'empty' | 'not-a-number' {
  const written = text.trim();
  if (written === '') return 'empty';
  return (kind === 'whole' ? /^\d{1,15}$/ : /^\d{1,15}(?:\.\d{1,15})?$/).test(written)
    ? Number(written)
    : 'not-a-number';
}
