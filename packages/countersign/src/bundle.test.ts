import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Loaded by Ink only with DEV=true, and not by us. */
const NEVER_LOADED = 'react-devtools-core';

const IMPORTED =
  /^import .*?from "(?<name>[^".][^"]*)";$|createRequire\(import\.meta\.url\)\.resolve\("(?<resolved>[^"]+)"\)/gm;

it('the bundled command imports only packages that countersign declares', () => {
  const { dependencies } = JSON.parse(read('../package.json')) as { dependencies: Record<string, string> };
  const chunks = readdirSync(new URL('../dist/bundle', import.meta.url)).filter((name) => name.endsWith('.js'));
  const imported = chunks
    .flatMap((name) => [...read(`../dist/bundle/${name}`).matchAll(IMPORTED)])
    .map(({ groups }) => groups?.['name'] ?? groups?.['resolved'] ?? '')
    .filter((name) => !isBuiltin(name) && name !== NEVER_LOADED);
  expect(imported).toContain('@photostructure/sqlite');
  expect(imported).toContain('html-to-text');
  expect(imported.filter((name) => !(name in dependencies))).toEqual([]);
});
