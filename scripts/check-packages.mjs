// Checks the tarball of each package: that it can be imported after publishing (publint), and that it contains its README and license.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = join(root, 'packages');
const license = readFileSync(join(root, 'LICENSE'), 'utf8');
const example = exampleIn(join(root, 'README.md'));
let found = 0;

for (const name of readdirSync(packages)) {
  const folder = join(packages, name);
  const { messages, pkg } = await publint({ pkgDir: folder, pack: 'npm', strict: true });
  const published = messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
  for (const problem of [...published, ...manifestProblems(pkg, name), ...fileProblems(folder)]) {
    found += 1;
    console.error(`${String(pkg.name)}: ${problem}`);
  }
}
if (exampleIn(join(packages, 'countersign', 'README.md')) !== example) {
  found += 1;
  console.error('countersign: the example in README.md differs from the one in the README.md of the repository');
}

if (found > 0) process.exit(1);

/**
 * @typedef {{ keywords?: string[], repository?: { directory?: string }, engines?: { node?: string } }} Manifest
 * @param {Manifest & Record<string, unknown>} manifest
 * @param {string} name
 */
function manifestProblems(manifest, name) {
  const required = ['description', 'license', 'homepage', 'bugs'];
  return [
    ...required.filter((field) => typeof manifest[field] !== 'string').map((field) => `package.json has no "${field}"`),
    ...((manifest.keywords ?? []).length > 0 ? [] : ['package.json has no "keywords"']),
    ...(manifest.repository?.directory === `packages/${name}` ? [] : ['"repository" must name its own directory']),
    ...(typeof manifest.engines?.node === 'string' ? [] : ['package.json has no "engines.node"']),
  ];
}

/** @param {string} folder */
function fileProblems(folder) {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const [tarball] = /** @type {{ files: { path: string }[] }[]} */ (JSON.parse(stdout));
  const files = new Set(tarball?.files.map(({ path }) => path));
  const missing = ['README.md', 'LICENSE', 'package.json'].filter((file) => !files.has(file));
  if (missing.length > 0) return missing.map((file) => `the tarball has no ${file}`);
  return readFileSync(join(folder, 'LICENSE'), 'utf8') === license ? [] : ['LICENSE differs from the repository'];
}

/** @param {string} file */
function exampleIn(file) {
  return /```ts\n([\s\S]*?)```/.exec(readFileSync(file, 'utf8'))?.[1];
}
