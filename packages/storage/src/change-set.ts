/** What a statement of `keptUnless` takes beside a value. */
export function changed(value: unknown): 0 | 1 {
  return value === undefined ? 0 : 1;
}
