/** As Git tells it: text has no NUL near its beginning. */
export function looksBinary(start: Uint8Array): boolean {
  return start.subarray(0, 8_192).includes(0);
}
