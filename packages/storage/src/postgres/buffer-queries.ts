import type { Writable } from 'node:stream';
import type pg from 'pg';

/**
 * Buffers queries until the returned function is called, then sends them in one write. On a busy machine, separate writes took 40 % of a
 * server's time.
 */
export function bufferQueries(client: pg.ClientBase): () => void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  return () => stream.uncork();
}
