import type { Writable } from 'node:stream';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { newTransactionState } from '../transaction-state.js';
import { finishAndCommit } from './finish-and-commit.js';

it('[STORE1] a value that can’t be written doesn’t block the connection: the step is rolled back and work continues', async () => {
  const client = new pg.Client({ connectionString: await createPostgresDatabase(), pipeline: true });
  await client.connect();
  onTestFinished(() => client.end());
  const state = newTransactionState();
  const unwritable = {
    toJSON(): never {
      throw new Error('no form');
    },
  };
  state.emissions = [{ event: 'world', chatId: null, data: { type: 'idle', pendingOperations: 0 } }];
  state.records = [{ kind: 'refusal', why: unwritable as unknown as string }];
  await client.query('begin');
  await expect(finishAndCommit(client, state, 'w')).rejects.toThrow('no form');
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  expect(stream.writableCorked).toBe(0);
  expect((await client.query('rollback')).command).toBe('ROLLBACK');
});
