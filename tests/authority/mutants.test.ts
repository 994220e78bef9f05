import { afterAll, expect, it } from 'vitest';
import { routes } from '../../packages/server/src/routes/index.js';
import { closeApps } from '../../packages/server/src/testing/app-fixture.js';
import { expectServerErrors } from '../support/server-errors.js';
import { openMatrix, type Matrix } from './actors.js';
import { ATTEMPTS, openForAttempt } from './attempts.js';
import { cellsOf, prepareRefused, type Cell } from './cells.js';
import { ROWS } from './routes.js';
import type { CheckName } from './switch-off-checks.js';

// Only in `npm run verify`, which loads the server with checks that can be switched off.

const checks = { all: globalThis.authorityChecks?.all ?? new Set<CheckName>() };
afterAll(closeApps);

const refusedIn = (matrix: Matrix): Cell[] => cellsOf(matrix, ROWS).filter(({ isAllowed }) => !isAllowed);

/** The first attempt that isn't refused. */
async function findAccepted(): Promise<string | undefined> {
  for (const [name, attempt] of Object.entries(ATTEMPTS))
    if (!(await attempt(await openForAttempt()).catch(() => false))) return name;
  return undefined;
}

it('refuses every attempt while no check is switched off', async () => {
  expect(await findAccepted()).toBeUndefined();
});

it('[WHO9] a route that any account may use fails the matrix, unless it should', async () => {
  const changed = routes.filter(({ needs }) => needs !== 'account' && needs !== 'no-credential');
  // The requests of a route use no other route, so all routes can be changed at once.
  const matrix = await openMatrix({
    routes: routes.map((route) => (changed.includes(route) ? { ...route, needs: 'account' } : route)),
  });
  const problems = await (await prepareRefused(matrix, refusedIn(matrix)))();
  const survivors = changed
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    .filter((route) => !problems.some((problem) => problem.startsWith(`${route},`)));
  process.stdout.write(`${changed.length} routes without their own check, ${survivors.length} survived\n`);
  expect(survivors).toEqual([]);
});

it('[WHO9] a check that is switched off fails the matrix', { timeout: 20 * 60_000 }, async () => {
  expectServerErrors(/./);
  expect(checks.all.size).toBeGreaterThan(30);
  const survivors: CheckName[] = [];
  for (const name of checks.all) {
    // A request that gets through may change what the next ones need.
    const matrix = await openMatrix();
    const tryRefused = await prepareRefused(matrix, refusedIn(matrix), { isFirstEnough: true });
    globalThis.authorityChecks = { ...checks, off: name };
    const isNoticed = [async () => (await tryRefused()).length > 0, async () => (await findAccepted()) !== undefined];
    // The matrix tries none of these, and takes longer.
    if (/^(?:auth|confirmations)\//.test(name)) isNoticed.reverse();
    if (!(await isNoticed[0]?.()) && !(await isNoticed[1]?.())) survivors.push(name);
    globalThis.authorityChecks = checks;
    await closeApps();
  }
  process.stdout.write(`${checks.all.size} checks switched off, ${survivors.length} survived\n`);
  expect(survivors).toEqual([]);
});
