// Builds the web app if its sources, or those of its dependencies, changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const web = join(root, 'packages', 'web');
const stamp = join(web, 'dist', '.built-from');

/** @returns {boolean} whether `packages/web/dist` is up to date */
export function buildWeb() {
  const wanted = hashOfSources();
  if (existsSync(join(web, 'dist', 'index.html')) && read(stamp) === wanted) return true;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: web,
    encoding: 'utf8',
    // Under a test runner, NODE_ENV is `test`, and React would be built for development.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    return false;
  }
  writeFileSync(stamp, wanted);
  return true;
}

function hashOfSources() {
  const hash = createHash('sha256');
  const folders = ['packages/web/src', 'packages/web/public', 'packages/client/src', 'packages/protocol/src'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:tsx?|css|svg|html|png|webmanifest)$/.test(name) && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
  for (const file of [...files.sort(), 'packages/web/index.html', 'packages/web/vite.config.ts', 'package-lock.json'])
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !buildWeb()) process.exit(1);
