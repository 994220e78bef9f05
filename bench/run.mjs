// `npm run bench`: our own suites, then the comparison. Uses only built-in modules, and installs what the second part needs.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const words = process.argv.slice(2);
const only = words.flatMap((word, index) => (word === '--only' ? [words[index + 1]] : []));
// `--help` and `--trace` are handled by our own suites and measure nothing.
const asks = words.includes('--help') || words.includes('--trace');
const beside = ['peers', 'durable'];
const wantsPeers = !asks && (only.length === 0 || only.some((name) => beside.includes(name)));
const wantsOurs = asks || only.length === 0 || only.some((name) => !beside.includes(name));

let failed = 0;
if (wantsOurs) failed = run(process.execPath, ['--expose-gc', `${here}dist/main.js`, ...withoutPeers(words)]);
if (wantsPeers) {
  if (!isInstalled()) failed = run('npm', ['ci', '--prefix', here, '--no-audit', '--no-fund']) || failed;
  const flags = words.filter((word) => word === '--quick' || word === '--write');
  if (only.includes('durable') && !only.includes('peers')) flags.push('--durable');
  if (wantsOurs)
    flags.push('--results', words.includes('--json') ? words[words.indexOf('--json') + 1] : `${here}results.json`);
  failed = run(`${here}node_modules/.bin/node`, [`${here}peers/main.mjs`, ...flags]) || failed;
}
process.exitCode = failed;

/** False if the lock file has changed since the installation. */
function isInstalled() {
  const changed = (file) => statSync(`${here}${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changed('node_modules/.package-lock.json') >= changed('package-lock.json');
}

function withoutPeers(given) {
  return given.filter((word, index) => {
    if (word === '--write') return false;
    if (word === '--only') return !beside.includes(given[index + 1]);
    return !(given[index - 1] === '--only' && beside.includes(word));
  });
}

function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (error !== undefined) console.error(error.message);
  return status ?? 1;
}
