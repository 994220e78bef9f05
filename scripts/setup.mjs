// Makes a checkout ready to run: installs what the lock file says, when it has changed, and builds.
// Node's own modules only: on a fresh clone nothing else is there yet.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.countersign-setup');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.version} ${process.platform} ${process.arch}`)
  .digest('hex');

if (read(stamp) !== wanted) {
  // NODE_ENV=production would leave out the compiler and the test runner.
  if (!npm('ci', '--include=dev')) fail('npm could not install the dependencies; what it said is above.');
  writeFileSync(stamp, wanted);
}

if (!run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'])) {
  // The test run goes on: its type check fails by name, beside the results of everything else.
  if (!process.argv.includes('--keep-going')) fail('The build found errors; they are above.');
}

// Loaded only now: on a fresh clone there is nothing yet that could build it.
const { buildWeb } = await import('./build-web.mjs');
if (!buildWeb() && !process.argv.includes('--keep-going'))
  fail('The web app could not be built; what is wrong is above.');

/** @param {string[]} words */
function npm(...words) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') ? run(process.execPath, [cli, ...words]) : run('npm', words);
}

/** @param {string} program @param {string[]} words */
function run(program, words) {
  return spawnSync(program, words, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} words @returns {never} */
function fail(words) {
  console.error(words);
  process.exit(1);
}
