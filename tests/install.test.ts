import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  installFromCheckout,
  LIMITS,
  measure,
  pack,
  runReadme,
  tryCommand,
  tryPostgres,
  tryServer,
} from '../scripts/installed.mjs';
import { itAtFullSize } from './support/scaled.js';

// `npm run verify` installs from the registry instead, on every supported version of Node, and checks the types as well
// (scripts/check-install.mjs).
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}` };
let folder = '';
let app = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-install-'));
  app = join(folder, 'app');
  await mkdir(app);
  await installFromCheckout(app, await pack(folder, ['countersign', 'web']));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('installs few packages, and none that only the command needs', () => {
  const { packages, megabytes, unwanted } = measure(app);
  process.stdout.write(`npm install countersign: ${packages} packages, ${megabytes} MB\n`);
  expect(unwanted).toEqual([]);
  expect(packages).toBeLessThanOrEqual(LIMITS.packages);
  expect(megabytes).toBeLessThanOrEqual(LIMITS.megabytes);
});

// `readme.test.ts` runs it in this checkout.
itAtFullSize("runs the README's program", async () => {
  expect(await runReadme(app, env)).toMatch(/^human: Please tidy up\.\n[\s\S]*\nidle\n$/);
});

it('[LIB5] mounts countersign/server', async () => {
  expect(await tryServer(app, env)).toBe('401 200');
});

it('[TERM1] [STORE4.3] npx countersign serves the app, and names the packages that PostgreSQL needs', async () => {
  expect(await tryCommand(app, env)).toEqual({ health: 200, page: 200, isApp: true });
  await expect(tryCommand(join(app, 'missing'), env)).rejects.toThrow('ENOENT');
  expect(await tryPostgres(app, env)).toContain(
    "PostgreSQL needs pg and graphile-worker, which aren't installed. Run: npm install countersign pg@8 graphile-worker@0.17",
  );
});
