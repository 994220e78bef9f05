import { openPostgres } from '@countersign/storage';
import { SERVER_LOG, type Store } from '@countersign/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { closeApps } from '../../packages/server/src/testing/app-fixture.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { isFullSize } from '../support/scaled.js';
import { openMatrix } from './actors.js';
import { cellsOf, prepareRefused, tryAllowed } from './cells.js';
import { PRINCIPLES } from './principles.js';
import { ROWS } from './routes.js';

afterEach(closeApps);

/** Everything that a request could have changed. Without the records of refused requests. */
async function stateOf(store: Store): Promise<unknown> {
  return await store.read(async (reader) => {
    const people = await reader.people();
    const kinds = ['token', 'session', 'invitation', 'ticket', 'passkey', 'challenge', 'delegation'] as const;
    const credentials = await Promise.all(
      people.flatMap(({ id }) =>
        kinds.map(async (kind) => (await reader.credentials(id, kind)).map((each) => each.id)),
      ),
    );
    const worlds = await reader.worlds();
    const logs = await Promise.all(
      [SERVER_LOG, ...worlds.map(({ id }) => id)].map((id) => reader.audit(id, { after: 0, limit: 10_000 })),
    );
    const inWorlds = worlds.map(async ({ id }) => [
      await reader.agents(id),
      await reader.chats(id),
      await reader.approvals(id, {}),
      await reader.grantsOfWorld(id),
      await reader.clients(id),
      await reader.mcpServers(id),
    ]);
    const records = logs.flat().filter(({ kind }) => kind !== 'refusal');
    const common = [people, credentials, worlds, await reader.groups(), await reader.providers()];
    return [...common, records.map(({ decision, why }) => [decision, why]), await Promise.all(inWorlds)];
  });
}

/** `npx vitest run tests/authority -u` writes it. */
function writeMatrix(): string {
  const requests = ROWS.map(
    ({ route, what, needs }) => `| \`${route}\`${what === undefined ? '' : `, ${what}`} | ${needs} |`,
  );
  return [
    '# The authority matrix',
    '',
    'The actions that each request needs. [Who may do what](authority.md) says who has which. A test writes and tries this list.',
    '',
    '| request | needs |',
    '|---|---|',
    ...requests,
    '',
  ].join('\n');
}

describe('[W10] the authority matrix', () => {
  it('has a row for every route of the server, and no other', async () => {
    const { t } = await openMatrix();
    const served = t.app.routes
      .filter(({ method, path }) => (method === 'ALL' ? path.startsWith('/mcp/') : path !== '/*'))
      .map(({ method, path }) => `${method} ${path.replace(/^\/api/, '').replace(/:(\w+)/g, '{$1}')}`);
    expect([...new Set(ROWS.map(({ route }) => route))].sort()).toEqual([...new Set(served)].sort());
  });

  it('is in docs/spec', async () => {
    await expect(writeMatrix()).toMatchFileSnapshot('../../docs/spec/authority-matrix.md');
  });

  it.each(['SQLite', 'PostgreSQL'])('holds for every request on %s', async (kind) => {
    const isPostgres = kind === 'PostgreSQL';
    const matrix = await openMatrix(isPostgres ? { store: await openPostgres(await createMigratedDatabase()) } : {});
    expect(matrix.actors.map(({ who }) => who)).toEqual([...PRINCIPLES.keys()]);
    const cells = cellsOf(matrix, ROWS).filter((_, at) => !isPostgres || isFullSize || at % 7 === 0);
    const { store } = matrix.t.engine.runtime;
    const tryRefused = await prepareRefused(matrix, cells);
    // The first use of each credential is saved.
    await tryAllowed(matrix, cellsOf(matrix, [{ route: 'GET /openapi.json', needs: 'known' }]));
    const before = await stateOf(store);
    expect(await tryRefused()).toEqual([]);
    expect(await stateOf(store)).toEqual(before);
    expect(await tryAllowed(matrix, cells)).toEqual([]);
  });
});
