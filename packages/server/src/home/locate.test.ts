import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readSourceModules } from '../../../../tests/support/source-modules.js';

it('a command that uses a running server loads little of it', () => {
  const modules = new Map(readSourceModules('packages/server/src').map((one) => [one.path, one.imports]));
  const loaded = new Set<string>();
  const packages = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const name of modules.get(path) ?? [])
      if (name.startsWith('.')) load(join(dirname(path), name.replace(/\.js$/, '.ts')));
      else if (!name.startsWith('node:')) packages.add(name);
  };
  load('packages/server/src/home/locate.ts');
  expect([...packages].toSorted()).toEqual(['@countersign/protocol', 'zod']);
  expect(loaded.size).toBeLessThan(10);
});
