/** Uses the same heuristic as Git: text has no NUL near its start. */
export function looksBinary(start: Uint8Array): boolean {
  return start.subarray(0, 8_192).includes(0);
}
