import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

const IMPORTED =
  /^import .*?from "(?<name>[^".][^"]*)";$|createRequire\(import\.meta\.url\)\.resolve\("(?<resolved>[^"]+)"\)/gm;

type Names = Record<string, string>;
const manifest = JSON.parse(read('../package.json')) as { dependencies: Names; peerDependencies: Names };
const declared = { ...manifest.dependencies, ...manifest.peerDependencies };

it('the bundled command imports only packages that countersign declares', () => {
  const chunks = readdirSync(new URL('../dist/bundle', import.meta.url)).filter((name) => name.endsWith('.js'));
  const imported = chunks
    .flatMap((name) => [...read(`../dist/bundle/${name}`).matchAll(IMPORTED)])
    .map(({ groups }) => groups?.['name'] ?? groups?.['resolved'] ?? '')
    .filter((name) => !isBuiltin(name));
  expect(imported).toContain('@photostructure/sqlite');
  expect(imported).toContain('html-to-text');
  expect(imported.filter((name) => !(name in declared))).toEqual([]);
});

it('its declarations import only each other and packages that countersign declares', () => {
  const types = new URL('../dist/bundle/types/', import.meta.url);
  const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  expect(files).toContain('countersign/index.d.ts');
  const imported = files.flatMap((file) =>
    [...read(new URL(file, types).href).matchAll(/\b(?:from|import)\s*\(?\s*["'](?<name>[^"']+)["']/g)].map(
      ({ groups }) => ({ file, name: groups?.['name'] ?? '' }),
    ),
  );
  const isKnown = ({ file, name }: { file: string; name: string }): boolean =>
    name.startsWith('.')
      ? files.includes(posix.join(posix.dirname(file), name).replace(/\.js$/, '.d.ts'))
      : isBuiltin(name) || name in declared;
  expect(imported.filter((one) => !isKnown(one))).toEqual([]);
});

it('`import "countersign"` loads a few bundled files with the same exports as the sources', async () => {
  const { exports } = JSON.parse(read('../package.json')) as { exports: Record<string, Record<string, string>> };
  const entry = new URL(`../${exports['.']?.['default'] ?? ''}`, import.meta.url).href;
  const { files, packages, builtins } = loadedWith(entry);
  expect(packages).toEqual(['@photostructure/sqlite']);
  // Importing one of these loads all of `fetch`, which the library doesn't need before the first model call.
  expect(builtins.filter((name) => name === 'node:http' || name === 'node:https')).toEqual([]);
  // Response schemas are for clients, and building them takes time.
  expect(files.filter((file) => /^const (?:statsSchema|timelineSchema) =/m.test(read(file)))).toEqual([]);
  expect(files.length).toBeLessThan(40);
  const exported = /^export \{ (?<names>.*) \};$/m.exec(read(entry))?.groups?.['names'] ?? '';
  const names = exported.split(', ').map((name) => name.replace(/^.* as /, ''));
  const sources: Record<string, unknown> = await import('./index.js');
  expect(names.toSorted()).toEqual(Object.keys(sources).toSorted());
});

it('a command loads neither the other commands nor the schemas of answers that it never gets', () => {
  const chunks = readdirSync(new URL('../dist/bundle', import.meta.url)).filter((name) => name.endsWith('.js'));
  const loadedByOneWith = (declaration: RegExp): string => {
    const [name = '', ...others] = chunks.filter((chunk) => declaration.test(read(`../dist/bundle/${chunk}`)));
    expect(others).toEqual([]);
    return loadedWith(new URL(`../dist/bundle/${name}`, import.meta.url).href)
      .files.map(read)
      .join('\n');
  };
  const program = loadedByOneWith(/^function createServerAccess\(/m);
  expect(program.match(/^(?:const ZodObject|function addRun\b|function createClient\b)/m)).toBeNull();
  // What a run begins while the rest is loaded.
  const begun = loadedByOneWith(/^function addRun\(/m);
  expect(begun).toMatch(/^function beginRun\(/m);
  expect(begun.match(/^(?:const ZodObject|function createRunClient\b)/m)).toBeNull();
  const run = loadedByOneWith(/^async function findRunWorld\(/m);
  expect(run).toMatch(/^function createRunClient\(/m);
  expect(run.match(/^(?:const (?:personSchema|policyVerdictSchema|statsSchema)|function createClient\b)/m)).toBeNull();
  // They plan and apply changes, which only the server does.
  expect(run.match(/^async function (?:planChange|applyChange|openDraft)\(/m)).toBeNull();
});

/** What importing a file of the bundle loads. Dynamic imports are excluded: they load on demand. */
function loadedWith(entry: string): { files: string[]; packages: string[]; builtins: string[] } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  const builtins = new Set<string>();
  // A set also iterates over elements that are added during the loop.
  for (const file of files)
    for (const { groups } of read(file).matchAll(/^(?:import|export) (?:.*?from )?["'](?<name>[^"']+)["'];$/gm)) {
      const name = groups?.['name'] ?? '';
      if (name.startsWith('.')) files.add(new URL(name, file).href);
      else if (isBuiltin(name)) builtins.add(name);
      else packages.add(name);
    }
  return { files: [...files], packages: [...packages], builtins: [...builtins] };
}
