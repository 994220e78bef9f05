import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from './version.js';

it('the version constant equals the version of every package', () => {
  const packages = new URL('../../', import.meta.url);
  const versions = readdirSync(packages).map((name) => {
    const { version } = JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), 'utf8')) as Record<
      string,
      unknown
    >;
    return { name, version };
  });
  expect(versions.filter(({ version }) => version !== VERSION)).toEqual([]);
});
