/** Standard streams and environment; tests replace them. */
export interface Console {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/** A serial line or a nested terminal may report a size of 0. */
export function sizeOf({ columns, rows }: { columns?: number; rows?: number }): { columns: number; rows: number } {
  return {
    columns: columns === undefined || columns < 1 ? 80 : columns,
    rows: rows === undefined || rows < 1 ? 24 : rows,
  };
}

/** Whether a stream should use colours (https://no-color.org). */
export function wantsColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
