import {
  addAgent,
  awaitExternal,
  claimExternal,
  fetchExternal,
  createWorld,
  listApprovals,
  proposeExternal,
  decideCall,
  type Engine,
} from '@countersign/core';
import { systemClock } from '@countersign/core/ports';
import { openPostgres } from '@countersign/storage';
import { externalTool } from '@countersign/tools';
import { afterEach, expect, it } from 'vitest';
import { createMigratedDatabase } from '../../../tests/support/postgres-database.js';
import { asked, caller, proposal } from './testing/external-worlds.js';
import { createTestEngine, person } from './testing/test-engine.js';

const engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function start(url: string): Promise<Engine> {
  const engine = await createTestEngine({ store: await openPostgres(url), clock: systemClock, externalTool });
  engines.push(engine);
  await engine.start();
  return engine;
}

it('[EXT1.1] [EXT1.2] [EXT1.15] [CALL8] processes on one PostgreSQL database write, decide, start and fetch a call once', async () => {
  const url = await createMigratedDatabase();
  const [one, two] = [(await start(url)).runtime, (await start(url)).runtime];
  await createWorld(one, { name: 'Harbour' }, person);
  await addAgent(
    one,
    'harbour',
    { name: 'Claude', provider: 'external', model: 'claude', tools: ['claude__*'] },
    person,
  );
  const propose = (runtime: typeof one, key: string) =>
    proposeExternal(runtime, 'harbour', proposal({ key, arguments: { command: `rm ${key}` } }), caller);
  // The first calls of a session race for its chat, and a retry races for its call.
  const calls = await Promise.all([propose(one, 'a'), propose(two, 'a'), propose(two, 'b'), propose(one, 'b')]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  expect(new Set(calls.map(({ chatId }) => chatId)).size).toBe(1);
  const cards = await listApprovals(two, 'harbour', { status: 'pending' });
  expect(cards).toHaveLength(2);
  const [card] = cards;
  const id = card?.toolCallId ?? '';
  const { signal } = new AbortController();
  const waiting = awaitExternal(one, asked(id), { waitMs: 50_000, signal });
  const decision = { tool_call_id: card?.approvalId ?? '', decision: 'approve' } as const;
  expect(await decideCall(two, 'harbour', undefined, decision, person)).toMatchObject({ kind: 'recorded' });
  const claimed = await Promise.all([waiting, claimExternal(two, asked(id))]);
  expect(claimed.map(({ state }) => state)).toEqual(['allowed', 'allowed']);
  // The fetch of one process is known to the other.
  const fetched = await Promise.allSettled([one, two].map((runtime) => fetchExternal(runtime, asked(id))));
  expect(fetched.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const audit = await one.store.read((reader) => reader.lastAudit('harbour', { limit: 50 }));
  expect(audit.filter(({ kind }) => kind === 'run')).toHaveLength(1);
});
