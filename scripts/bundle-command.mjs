// Bundles the output of `tsc -b` into the `countersign` command and library: loading 760 modules one by one took longer
// than running them (ADR 0028).
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLicenses } from './bundle-licenses.mjs';
import { bundleTypes } from './bundle-types.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'packages', 'countersign', 'dist');
const library = publicEntries();
const bundles = {
  // Bundled together, so that the library and the command share common modules.
  command: {
    folder: join(dist, 'bundle'),
    inputs: Object.fromEntries(['main', ...library].map((name) => [name, join(dist, `${name}.js`)])),
  },
  // Programs that tests start repeatedly.
  tests: {
    folder: join(dist, 'testing', 'bundle'),
    inputs: {
      'acp-agent': join(root, 'packages', 'tools', 'dist', 'testing', 'acp-agent.js'),
      'apply-layer': join(root, 'packages', 'changes', 'dist', 'testing', 'apply-layer.js'),
      'crash-child': join(dist, 'testing', 'crash-child.js'),
      'dying-rehearsal': join(root, 'packages', 'tools', 'dist', 'testing', 'dying-rehearsal.js'),
      'dying-run': join(root, 'packages', 'tools', 'dist', 'testing', 'dying-run.js'),
      'dying-server': join(root, 'packages', 'tools', 'dist', 'testing', 'dying-server.js'),
      'dying-undo': join(root, 'packages', 'tools', 'dist', 'testing', 'dying-undo.js'),
      'dying-write': join(root, 'packages', 'tools', 'dist', 'testing', 'dying-write.js'),
      'hostile-server': join(root, 'tests', 'mcp', 'fixtures', 'hostile-server.mjs'),
      'serve-child': join(root, 'tests', 'web', 'support', 'serve-child.mjs'),
      'stamping-server': join(root, 'packages', 'server', 'dist', 'testing', 'stamping-server.js'),
    },
  },
};

/**
 * Packages that are not bundled, because they load native code or their own files. `countersign` declares them as dependencies, and those for
 * PostgreSQL as optional peers (ADR 0036).
 */
const EXTERNAL = ['@lydell/node-pty', '@photostructure/sqlite', 'graphile-worker', 'pg', 'pino'];

/**
 * Builds these bundles, unless they are up to date. Rejects if there is nothing to bundle.
 *
 * @param {(keyof typeof bundles)[]} which
 */
export async function bundleCommand(which = ['command']) {
  const packages = hashOfPackages();
  for (const name of which) await bundleOne(name, packages);
}

/** @param {keyof typeof bundles} which @param {string} packages */
async function bundleOne(which, packages) {
  const { folder: target, inputs: input } = bundles[which];
  const stamp = join(target, '.built-from');
  const hash = hashOfInputs(Object.values(input), packages);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  // Loaded lazily: on a fresh clone, it is installed after this script has been loaded.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: EXTERNAL.map((name) => new RegExp(`^${name}(/|$)`)),
    logLevel: 'silent',
  });
  const fresh = `${target}-${process.pid}`;
  const { output } = await bundle.write({ dir: fresh, format: 'esm' });
  await bundle.close();
  if (which === 'command') {
    // On its own: shared chunks would contain the whole command. CommonJS, because loading Node's modules for ESM takes longer.
    const hook = await rolldown({ input: { hook: join(dist, 'hook.js') }, platform: 'node', logLevel: 'silent' });
    await hook.write({ dir: join(fresh, 'hook'), format: 'cjs', entryFileNames: '[name].cjs' });
    await hook.close();
    const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    writeFileSync(join(fresh, 'licenses.md'), bundleLicenses(modules));
    const entries = library.map((name) => join(dist, `${name}.d.ts`));
    await bundleTypes({ packages: join(root, 'packages'), entries, target: join(fresh, 'types') });
  }
  writeFileSync(join(fresh, '.built-from'), hash);
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

/** @param {string[]} entries @param {string} packagesHash */
function hashOfInputs(entries, packagesHash) {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const script of ['./bundle-licenses.mjs', './bundle-types.mjs', './describe-schemas.mjs'])
    hash.update(readFileSync(new URL(script, import.meta.url)));
  for (const file of entries) hash.update(readFileSync(file));
  return hash
    .update(packagesHash)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

/** Hashes the content, because the compiler rewrites files even if only other files changed. Reading 3,000 files takes most of a second of CPU. */
function hashOfPackages() {
  const hash = createHash('sha256');
  const packages = join(root, 'packages');
  const folders = readdirSync(packages)
    .filter((name) => name !== 'web')
    .map((name) => join(packages, name, 'dist'))
    .filter((folder) => existsSync(folder));
  for (const folder of folders.sort())
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const file = join(folder, name);
      if (!/(?:\.js|\.d\.ts)$/.test(name) || isBundled(file) || !statSync(file).isFile()) continue;
      hash.update(`${file}\0`).update(readFileSync(file));
    }
  return hash.digest('hex');
}

/** The modules that `countersign` exports, by name. Every export with types is bundled. */
function publicEntries() {
  const { exports } = /** @type {{ exports: Record<string, string | { types: string }> }} */ (
    JSON.parse(readFileSync(join(dirname(dist), 'package.json'), 'utf8'))
  );
  return Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : entry.types.replace(/^.*\/|\.d\.ts$/g, ''),
  );
}

/** @param {string} file */
function isBundled(file) {
  return Object.values(bundles).some(({ folder }) => file.startsWith(folder));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand();
