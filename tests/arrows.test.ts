import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readImports, readSourceModules, root, type SourceModule } from './support/source-modules.js';

const ports = ['@countersign/core/ports', '@countersign/core/testing'];
const protocol = '@countersign/protocol';

interface PackageRules {
  /** Our packages that its sources may import, by import specifier. */
  readonly may: readonly string[];
  /** Source files that may import more than the rest of their package. */
  readonly exceptions?: Readonly<Record<string, readonly string[]>>;
  /** Also runs in a browser, so it imports no Node module. */
  readonly browser?: true;
  /** Published as one bundle, without the packages it was built from. */
  readonly bundled?: true;
}

// The allowed imports between packages. A package that isn't built yet already has its entry.
const packages: Readonly<Record<string, PackageRules>> = {
  protocol: { may: [], browser: true },
  core: { may: [protocol] },
  providers: { may: [...ports, protocol] },
  changes: { may: [...ports, protocol] },
  tools: { may: ['@countersign/changes', ...ports, protocol] },
  storage: { may: [...ports, protocol] },
  server: {
    may: [
      '@countersign/core',
      ...ports,
      '@countersign/providers',
      '@countersign/tools',
      '@countersign/storage',
      protocol,
    ],
  },
  client: { may: [protocol], browser: true },
  web: { may: ['@countersign/client', protocol], browser: true, bundled: true },
  // The channel has both ends, and loads nothing else of the server. The process of `countersign run` is the run's supervisor: a server that
  // supervised runs would take their programs with it when it ends.
  terminal: {
    may: ['@countersign/client', '@countersign/server/channel', '@countersign/tools/run', protocol],
    exceptions: { 'main.ts': ['@countersign/server', '@countersign/server/locate'] },
  },
  countersign: {
    may: [
      '@countersign/core',
      ...ports,
      '@countersign/providers',
      '@countersign/tools',
      '@countersign/storage',
      '@countersign/server',
      // A separate entry point, so that the library's declarations don't need Hono's types.
      '@countersign/server/mount',
      // Also separate, because the library must load without Hono.
      '@countersign/server/secrets',
      '@countersign/client',
      '@countersign/web',
      '@countersign/terminal',
      '@countersign/terminal/hook',
      protocol,
    ],
    bundled: true,
  },
};

/** The packages that tests may import in addition to those of their package. */
const testsMay = [
  '@countersign/core/testing',
  '@countersign/core/testing/step-contract',
  '@countersign/core/testing/store-contract',
  '@countersign/storage',
];

/** Folders of core from the bottom up; a folder imports only from its own layer or from below. */
const layers = [
  ['mentions', 'turn', 'masking', 'policy', 'requirements', 'results', 'facts'],
  ['publishers'],
  ['memory'],
  ['step'],
  // `call` writes decisions, and `decisions` are what else people do about calls: both are needed to end one.
  ['evidence', 'call', 'decisions'],
  ['batches'],
  ['chats'],
  ['worlds'],
  ['turns'],
  ['mcp'],
  ['runners'],
  ['processes'],
  ['views'],
];
const pureFolders = layers[0] ?? [];
const pureNodeModules = ['node:assert', 'node:buffer', 'node:crypto', 'node:path', 'node:url', 'node:util'];

const names = z.record(z.string(), z.string()).default({});
const manifestSchema = z.object({
  name: z.string(),
  dependencies: names,
  devDependencies: names,
  peerDependencies: names,
  optionalDependencies: names,
});
type Manifest = z.infer<typeof manifestSchema>;

const built = readdirSync(`${root}packages`).filter((name) => existsSync(`${root}packages/${name}/package.json`));
const workspace = manifest('package.json');

describe('imports between packages', () => {
  it('lists every package', () => {
    expect(built.filter((name) => !(name in packages))).toEqual([]);
  });

  describe.each(built)('%s', (name) => {
    const rules = packages[name] ?? { may: [] };
    const own = manifest(`packages/${name}/package.json`);
    const modules = readSourceModules(`packages/${name}/src`);

    it('imports only allowed packages', () => {
      expect(modules.flatMap((module) => crossings(name, rules, own, module))).toEqual([]);
    });

    it('declares no dependency on a package of ours that it may not import', () => {
      const visible = [...rules.may, ...Object.values(rules.exceptions ?? {}).flat()].map(packageOf);
      const declared = Object.keys({ ...own.dependencies, ...own.peerDependencies }).filter(isOurs);
      expect(declared.filter((dependency) => !visible.includes(dependency))).toEqual([]);
    });

    it('has no import cycles, including type-only ones', () => {
      expect(inCycles(modules)).toEqual([]);
    });

    it('lists its exports by name', () => {
      expect(modules.filter(({ hasExportStar }) => hasExportStar).map(({ path }) => path)).toEqual([]);
    });
  });
});

describe('the layers inside core', () => {
  const modules = readSourceModules('packages/core/src').filter(({ isTest }) => !isTest);
  const inCore = (module: SourceModule): string => module.path.slice('packages/core/src/'.length);
  const folderOf = (path: string): string => path.split('/')[0] ?? '';
  const withTargets = modules.flatMap((module) =>
    module.imports.map((name) => ({ from: inCore(module), name, to: resolve(inCore(module), name) })),
  );
  const say = ({ from, name }: { from: string; name: string }): string => `${from} imports ${name}`;

  it('ports import only the protocol', () => {
    const wrong = withTargets.filter(
      ({ from, name, to }) => folderOf(from) === 'ports' && name !== protocol && folderOf(to ?? '') !== 'ports',
    );
    expect(wrong.map(say)).toEqual([]);
  });

  it('decisions do no I/O', () => {
    const wrong = withTargets.filter(
      ({ from, name }) =>
        pureFolders.includes(folderOf(from)) && isBuiltin(name) && !pureNodeModules.includes(withScheme(name)),
    );
    expect(wrong.map(say)).toEqual([]);
  });

  it('every folder is in a layer, so that its imports are checked', () => {
    const known = ['ports', 'testing', ...layers.flat()];
    const paths = modules.map(inCore).filter((path) => path.includes('/'));
    expect(paths.filter((path) => !known.includes(folderOf(path)))).toEqual([]);
  });

  it('imports point downward', () => {
    const layerOf = (path: string): number => layers.findIndex((folders) => folders.includes(folderOf(path)));
    const wrong = withTargets.filter(({ from, to }) => layerOf(from) >= 0 && layerOf(to ?? '') > layerOf(from));
    expect(wrong.map(say)).toEqual([]);
  });

  it('only the test kit imports the test kit', () => {
    const wrong = withTargets.filter(
      ({ from, to }) => folderOf(from) !== 'testing' && folderOf(to ?? '') === 'testing',
    );
    expect(wrong.map(say)).toEqual([]);
  });
});

describe('the import parser', () => {
  it('finds every kind of import', () => {
    const text = `
      import a from 'a'; import 'b'; import type { C } from 'c'; export { d } from 'd'; export * from 'e';
      const f = await import('f'); type G = import('g').G; const h = await import(f); require('i');
    `;
    expect(readImports('x.ts', text)).toEqual({
      imports: ['a', 'b', 'c', 'd', 'e', 'f', 'g', '(computed)', 'i'],
      hasExportStar: true,
    });
  });

  it.each([
    ['core', '@countersign/storage'],
    ['core', '../../storage/src/index.js'],
    ['storage', '@countersign/core'],
    ['storage', '@countersign/core/src/turn/next-step.js'],
    ['storage', 'vitest'],
    ['protocol', 'node:fs'],
    ['tools', 'fs'],
    ['terminal', '@countersign/server'],
  ])('%s may not import %s, declared or not', (name, imported) => {
    expect(found(name, 'x.ts', imported, { [packageOf(imported)]: '1' })).toHaveLength(1);
  });

  it('allows more imports in one known file', () => {
    expect(found('terminal', 'main.ts', '@countersign/server', { '@countersign/server': '1' })).toEqual([]);
  });

  it('undeclared imports are refused', () => {
    expect(found('core', 'x.ts', 'zod', { zod: '1' })).toEqual([]);
    expect(found('core', 'x.ts', 'zod', {})).toHaveLength(1);
  });

  it('a test may import the test kit and the storage', () => {
    expect(found('core', 'x.test.ts', '@countersign/storage', {})).toEqual([]);
    expect(found('core', 'x.test.ts', '@countersign/server', {})).toHaveLength(1);
  });

  function found(name: string, file: string, imported: string, dependencies: Record<string, string>): string[] {
    const own = { name, dependencies, devDependencies: {}, peerDependencies: {}, optionalDependencies: {} };
    const path = `packages/${name}/src/${file}`;
    const isTest = file.endsWith('.test.ts');
    return crossings(name, packages[name] ?? { may: [] }, own, {
      path,
      isTest,
      imports: [imported],
      hasExportStar: false,
    });
  }
});

function crossings(name: string, rules: PackageRules, own: Manifest, module: SourceModule): string[] {
  const src = `packages/${name}/src/`;
  const inPackage = module.path.slice(src.length);
  const may = [...rules.may, ...(rules.exceptions?.[inPackage] ?? []), ...(module.isTest ? testsMay : [])];
  const declared = {
    ...own.dependencies,
    ...own.peerDependencies,
    ...own.optionalDependencies,
    ...(rules.bundled === true ? own.devDependencies : {}),
    ...(module.isTest ? { ...own.devDependencies, ...workspace.devDependencies } : {}),
  };

  const isFine = (imported: string): boolean => {
    const target = resolve(module.path, imported);
    if (target !== undefined) return target.startsWith(src) || (module.isTest && target.startsWith('tests/support/'));
    // A package may read its own version.
    if (imported === `${own.name}/package.json`) return true;
    if (isBuiltin(imported)) return imported.startsWith('node:') && (rules.browser !== true || module.isTest);
    // The test runner is an optional peer: only the shared test kit may need it. Generated test data is part of the kit.
    if (['vitest', 'fast-check'].includes(packageOf(imported)))
      return module.isTest || inPackage.startsWith('testing/');
    if (isOurs(imported)) return may.includes(imported) && (module.isTest || packageOf(imported) in declared);
    return packageOf(imported) in declared;
  };
  return module.imports.filter((imported) => !isFine(imported)).map((imported) => `${module.path} imports ${imported}`);
}

/** The target of a relative import; undefined if it isn't relative. */
/** Modules that import themselves through others. */
function inCycles(modules: readonly SourceModule[]): string[] {
  const bare = (path: string): string => path.replace(/\.(?:js|tsx?)$/, '');
  const next = new Map(
    modules.map(({ path, imports }) => [
      bare(path),
      imports.flatMap((name) => resolve(path, name) ?? []).map((to) => bare(to)),
    ]),
  );
  const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
    (next.get(from) ?? []).some((to) => {
      if (to === goal) return true;
      if (seen.has(to)) return false;
      seen.add(to);
      return reaches(to, goal, seen);
    });
  return [...next.keys()].filter((start) => reaches(start, start, new Set()));
}

function resolve(from: string, imported: string): string | undefined {
  return imported.startsWith('.') ? posix.join(posix.dirname(from), imported) : undefined;
}

function isOurs(imported: string): boolean {
  return imported.startsWith('@countersign/') || packageOf(imported) === 'countersign';
}

function packageOf(imported: string): string {
  return imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/');
}

function withScheme(builtin: string): string {
  return builtin.startsWith('node:') ? builtin : `node:${builtin}`;
}

function manifest(path: string): Manifest {
  return manifestSchema.parse(JSON.parse(readFileSync(`${root}${path}`, 'utf8')));
}
