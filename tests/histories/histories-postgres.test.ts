import { systemClock } from '@countersign/core/ports';
import { openPostgres } from '@countersign/storage';
import { expect, it } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { scaled } from '../support/scaled.js';
import { expectServerErrors } from '../support/server-errors.js';
import type { Ground } from './home.js';
import { runSeeds } from './run-seeds.js';

/** Two processes at a time, which share a database. Its clock can't be moved. */
async function postgresGround(): Promise<Ground> {
  const url = await createMigratedDatabase();
  return {
    clock: { ...systemClock, advance: () => undefined },
    processes: 2,
    openStore: () => openPostgres(url, { maxConnections: 3 }),
  };
}

it('[SIGN1.3] [EXT1.15] [STORE4] in random histories on two processes, nothing runs twice or without the required signatures', async () => {
  // Requests to a process that was killed. All others are violations.
  expectServerErrors(/./);
  const { failure } = await runSeeds(0, scaled(50, 3), postgresGround);
  expect(failure && [failure.repeat, ...failure.lines].join('\n')).toBeUndefined();
}, 600_000);
