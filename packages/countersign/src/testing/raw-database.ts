import { createRequire } from 'node:module';

export interface RawDatabase {
  prepare(sql: string): { run(...values: unknown[]): unknown; all(...values: unknown[]): Record<string, unknown>[] };
  exec(sql: string): void;
  close(): void;
}

/** Opens the file directly instead of through the store, with the same SQLite. */
export function openRaw(file: string): RawDatabase {
  const fromStorage = createRequire(import.meta.resolve('@countersign/storage'));
  const { DatabaseSync } = fromStorage('@photostructure/sqlite') as { DatabaseSync: new (path: string) => RawDatabase };
  return new DatabaseSync(file);
}
