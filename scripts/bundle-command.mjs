// Bundles the output of `tsc -b` into the `countersign` command and library: loading 760 modules one by one took longer
// than running them (ADR 0028).
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'packages', 'countersign', 'dist');
const bundles = {
  // Together, so that the library and the command share their common modules.
  command: { folder: join(dist, 'bundle'), inputs: { main: join(dist, 'main.js'), index: join(dist, 'index.js') } },
  // Programs that tests start repeatedly.
  tests: {
    folder: join(dist, 'testing', 'bundle'),
    inputs: {
      'crash-child': join(dist, 'testing', 'crash-child.js'),
      'hostile-server': join(root, 'tests', 'mcp', 'fixtures', 'hostile-server.mjs'),
      'serve-child': join(root, 'tests', 'web', 'support', 'serve-child.mjs'),
      'stamping-server': join(root, 'packages', 'server', 'dist', 'testing', 'stamping-server.js'),
    },
  },
};

/**
 * Packages that stay outside: they load native code or their own files. `countersign` declares them as dependencies.
 */
const EXTERNAL = ['@photostructure/sqlite', 'graphile-worker', 'pg', 'pino', 'prom-client'];

/**
 * Skips an up-to-date bundle. Rejects if there is nothing to bundle.
 *
 * @param {keyof typeof bundles} which
 */
export async function bundleCommand(which = 'command') {
  const { folder: target, inputs: input } = bundles[which];
  const stamp = join(target, '.built-from');
  const hash = hashOfInputs(Object.values(input));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  // Loaded lazily: on a fresh clone it is installed after this script was loaded.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: EXTERNAL.map((name) => new RegExp(`^${name}(/|$)`)),
    logLevel: 'silent',
  });
  const fresh = `${target}-${process.pid}`;
  await bundle.write({ dir: fresh, format: 'esm' });
  await bundle.close();
  writeFileSync(join(fresh, '.built-from'), hash);
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

/**
 * By content: the compiler rewrites files even if only others changed.
 *
 * @param {string[]} entries
 */
function hashOfInputs(entries) {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const file of entries) hash.update(readFileSync(file));
  const packages = join(root, 'packages');
  const folders = readdirSync(packages)
    .filter((name) => name !== 'web')
    .map((name) => join(packages, name, 'dist'))
    .filter((folder) => existsSync(folder));
  for (const folder of folders.sort())
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const file = join(folder, name);
      if (!name.endsWith('.js') || isBundled(file) || !statSync(file).isFile()) continue;
      hash.update(`${file}\0`).update(readFileSync(file));
    }
  return hash.update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
}

/** @param {string} file */
function isBundled(file) {
  return Object.values(bundles).some(({ folder }) => file.startsWith(folder));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand();
