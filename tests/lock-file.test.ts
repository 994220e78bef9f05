import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { root } from './support/source-modules.js';

const entrySchema = z.object({
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const lockSchema = z.object({ packages: z.record(z.string(), entrySchema) });

/** The lock files of the repository, without those of installed packages. */
function lockFilesIn(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return entry.name === 'package-lock.json' ? [`${folder}${entry.name}`] : [];
    return /^(?:node_modules|dist|\..*)$/.test(entry.name) ? [] : lockFilesIn(`${folder}${entry.name}/`);
  });
}
const files = lockFilesIn('');

it('finds the lock files of all folders', () => {
  expect(files).toEqual(expect.arrayContaining(['package-lock.json', 'bench/package-lock.json']));
});

describe.each(files)('%s', (file) => {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(`${root}${file}`, 'utf8')));

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
});
