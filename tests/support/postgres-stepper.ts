import type { RowChange, StoredEvent } from '@countersign/core/ports';
import { W } from '@countersign/core/testing/step-contract';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { postgresStatements } from '../../packages/storage/src/postgres/statements.js';
import type { ChatCache } from '../../packages/storage/src/postgres/step/chat-cache.js';
import { createStepper, type Stepper } from '../../packages/storage/src/postgres/step/run-step.js';

export const nothing = { changes: [] as RowChange[], emissions: [], records: [], wakes: [] as string[] };

export interface OpenStepper {
  stepper: Stepper;
  pool: pg.Pool;
  /** Every statement that was sent. */
  sent: string[];
  clock: { now(): number; heard(now: number): void; stopFor(ms: number): void };
  /** Runs once, right before the next append is sent. */
  readonly beforeAppend: (act: () => Promise<unknown>) => void;
}

/** Opens the layer below the store, which runs steps. */
export function openStepper(
  url: string,
  schema: string,
  { max = 2, cache }: { max?: number; cache?: ChatCache } = {},
): OpenStepper {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString: url, types, max, options: `-c search_path=${schema}` });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  const sent: string[] = [];
  const acts: (() => Promise<unknown>)[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((first: unknown, ...rest: unknown[]) => {
      const text = typeof first === 'string' ? first : (first as { text: string }).text;
      sent.push(text);
      const act = text.startsWith('select append_steps') ? acts.shift() : undefined;
      if (act === undefined) return query(first, ...rest);
      const answered = rest.at(-1);
      const acted = act().then(() => query(first, ...rest));
      if (typeof answered !== 'function') return acted;
      acted.catch(answered as (error: unknown) => void);
      return undefined;
    }) as typeof client.query;
  });
  let zero = Date.now() - performance.now();
  const clock = {
    now: () => Math.floor(zero + performance.now()),
    heard: (now: number) => void (zero = now - performance.now()),
    stopFor: (ms: number) => void (zero -= ms),
  };
  const stepper = createStepper({ pool, statements: postgresStatements, task: 'none', clock }, cache);
  return { stepper, sent, pool, clock, beforeAppend: (act) => void acts.push(act) };
}

/** A step that renames a chat, publishes an event and an audit record. Returns its time. */
export function title(
  stepper: Pick<Stepper, 'step'>,
  chatId: string,
  text: string,
  onCommit?: (events: StoredEvent[]) => void,
) {
  const change: RowChange = { kind: 'chat-changed', chatId, change: { title: text } };
  const emission = { event: 'system', chatId, data: { type: 'notice', message: text } } as const;
  return stepper.step(
    W,
    { chats: [chatId] },
    ({ now }) => ({
      value: now,
      writes: { changes: [change], emissions: [emission], records: [{ kind: 'stop' }], wakes: [] },
    }),
    onCommit,
  );
}
