// Prepares a checkout: installs the dependencies from the lock file if necessary, and builds. Uses only built-in modules,
// because on a fresh clone nothing else is installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goEnvironment } from './go-environment.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const keepsGoing = process.argv.includes('--keep-going');

// Browsers and sandboxes for the tests come from another server than npm's packages.
const programs = keepsGoing ? (await import('./install-programs.mjs')).installMissingPrograms() : undefined;
if (!isInstalled()) {
  console.log('Installing dependencies (a minute or more)…');
  await install();
}
if (!existsSync(join(root, 'packages', 'web', 'dist', 'index.html'))) console.log('Building (a minute or more)…');

// Compile while the web app is being built, because each of them leaves a core idle. Only what runs, and without checking types, which takes
// longer: `npm run build` and the tests check them.
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const compiled = run(process.execPath, [compiler, '-b', 'packages/countersign', 'bench', '--noCheck']);
// Loaded lazily: on a fresh clone, its dependencies are not installed yet.
const { buildWeb } = await import('./build-web.mjs');
const hasWeb = buildWeb();
// With --keep-going a test run continues; its static checks then fail as separate tests.
if (!(await compiled) && !keepsGoing) fail('The build failed; the errors are above.');
if (!hasWeb && !keepsGoing) fail('The web app could not be built; the errors are above.');

const { bundleCommand } = await import('./bundle-command.mjs');
try {
  await bundleCommand();
} catch (error) {
  if (!keepsGoing) fail(`The command could not be bundled: ${String(error)}`);
}
await programs;

/**
 * Whether `node_modules` is a complete installation from the lock file for this machine, by this script or by hand. npm writes its own record
 * last, so an interrupted installation has none. Optional packages and those for other systems may be missing.
 */
function isInstalled() {
  const wanted = packagesIn('package-lock.json');
  const found = packagesIn(join('node_modules', '.package-lock.json'));
  if (wanted === undefined || found === undefined) return false;
  return (
    Object.entries(found).every(([path, entry]) => isSame(entry, wanted[path]) && fitsHere(entry)) &&
    Object.entries(wanted).every(([path, { optional }]) => path === '' || optional === true || path in found)
  );
}

/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, os?: string[], cpu?: string[] }} Package */

/** @param {Package} found @param {Package | undefined} wanted */
function isSame(found, wanted) {
  return found.version === wanted?.version && found.integrity === wanted?.integrity && found.link === wanted?.link;
}

/** @param {string} file @returns {Record<string, Package> | undefined} */
function packagesIn(file) {
  try {
    const lock = /** @type {{ packages?: Record<string, Package> }} */ (
      JSON.parse(readFileSync(join(root, file), 'utf8'))
    );
    return lock.packages;
  } catch {
    return undefined;
  }
}

/** False for a folder that was copied from another machine. @param {Package} entry */
function fitsHere({ os, cpu }) {
  return isListed(os, process.platform) && isListed(cpu, process.arch);
}

/** @param {string[] | undefined} list @param {string} name */
function isListed(list, name) {
  if (list === undefined || list.includes('any')) return true;
  return list.some((word) => word.startsWith('!')) ? !list.includes(`!${name}`) : list.includes(name);
}

/** Shows npm's output only if npm fails: a newcomer can't do anything about its warnings. */
async function install() {
  const cli = process.env.npm_execpath;
  // NODE_ENV=production would omit the compiler and the test runner. The lock file pins exact contents, so cached packages are used without
  // contacting the registry.
  const words = ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund'];
  const [program, args] = cli?.endsWith('.js') ? [process.execPath, [cli, ...words]] : ['npm', words];
  const npm = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let errors = '';
  npm.stdout.on('data', (text) => (said += String(text)));
  npm.stderr.on('data', (text) => (errors += String(text)));
  const code = await once(npm, 'close').then(
    ([status]) => /** @type {number | null} */ (status),
    (/** @type {unknown} */ error) => {
      errors += `${String(error)}\n`;
    },
  );
  if (code === 0) return;
  // Errors last, next to our own sentence.
  process.stderr.write(`${said}${errors}`);
  fail('npm could not install the dependencies; its output is above.');
}

/** @param {string} program @param {string[]} words */
async function run(program, words) {
  const env = { ...goEnvironment, ...process.env };
  const exit = await once(spawn(program, words, { cwd: root, env, stdio: 'inherit' }), 'exit');
  return exit[0] === 0;
}

/** @param {string} sentence @returns {never} */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
