import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { root } from './support/source-modules.js';

const entrySchema = z.object({
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const { packages } = z
  .object({ packages: z.record(z.string(), entrySchema) })
  .parse(JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')));

it('contains no registry URL', () => {
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && link !== true);
  expect(named.map(([path]) => path)).toEqual([]);
});

it('lists the binaries of every platform', () => {
  // npm silently omits a binary that it can't find from the lock file, and the install on that platform fails.
  const present = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const missing = Object.values(packages).flatMap(({ optionalDependencies }) =>
    Object.keys(optionalDependencies).filter((name) => !present.has(name)),
  );
  expect(missing).toEqual([]);
});
