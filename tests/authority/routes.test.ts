import { openPostgres } from '@countersign/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../../packages/server/src/metrics/create-metrics.js';
import { closeApps, openApp } from '../../packages/server/src/testing/app-fixture.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { isFullSize } from '../support/scaled.js';
import { openMatrix } from './actors.js';
import { cellsOf, prepareRefused, sampleOf, stateOf, tryAllowed } from './cells.js';
import { COMMANDS } from './commands.js';
import { PRINCIPLES } from './principles.js';
import { ROWS } from './routes.js';

/** At full size, every request is tried as everybody. */
const LIMIT_MS = isFullSize ? 600_000 : 120_000;

afterEach(closeApps);

/** `npx vitest run tests/authority -u` writes it. */
function writeMatrix(): string {
  const line = (name: string, { what, needs }: { what?: string; needs: string }): string =>
    `| \`${name}\`${what === undefined ? '' : `, ${what}`} | ${needs} |`;
  return [
    '# The authority matrix',
    '',
    'The actions that each request and each command needs. [Who may do what](authority.md) says who has which. A test writes and tries these lists.',
    '',
    '| request | needs |',
    '|---|---|',
    ...ROWS.map((row) => line(row.route, row)),
    '',
    'A command in a world also needs `account`, to find the world. A local command needs no right on a server.',
    '',
    '| command | needs |',
    '|---|---|',
    ...COMMANDS.map((row) => line(row.command, row)),
    '',
  ].join('\n');
}

describe('[WHO9] the authority matrix', () => {
  it('has a row for every route of the server, and no other', async () => {
    const { app } = await openApp({ context: { metrics: createMetrics() } });
    const served = app.routes
      .filter(({ method, path }) => (method === 'ALL' ? path.startsWith('/mcp/') : path !== '/*'))
      .map(({ method, path }) => `${method} ${path.replace(/^\/api/, '').replace(/:(\w+)/g, '{$1}')}`);
    expect([...new Set(ROWS.map(({ route }) => route))].sort()).toEqual([...new Set(served)].sort());
  });

  it('is in docs/spec', async () => {
    await expect(writeMatrix()).toMatchFileSnapshot('../../docs/spec/authority-matrix.md');
  });

  it.each(isFullSize ? ['SQLite', 'PostgreSQL'] : ['SQLite'])(
    'holds for every request on %s',
    async (kind) => {
      const isPostgres = kind === 'PostgreSQL';
      const matrix = await openMatrix(isPostgres ? { store: await openPostgres(await createMigratedDatabase()) } : {});
      expect(matrix.actors.map(({ who }) => who)).toEqual([...PRINCIPLES.keys()]);
      const all = cellsOf(matrix, ROWS);
      const cells = [...new Set([...sampleOf(all), ...all.filter((_, at) => at % 40 === 0)])];
      const { store } = matrix.t.engine.runtime;
      const tryRefused = await prepareRefused(matrix, cells);
      // The first use of each credential is saved.
      await tryAllowed(matrix, cellsOf(matrix, [{ route: 'GET /openapi.json', needs: 'known' }]));
      const before = await stateOf(store);
      expect(await tryRefused()).toEqual([]);
      expect(await stateOf(store)).toEqual(before);
      expect(await tryAllowed(matrix, cells)).toEqual([]);
    },
    LIMIT_MS,
  );
});
