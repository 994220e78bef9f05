// Plays random histories on all cores: `npm run histories -- [COUNT [FIRST SEED]]`. Then removes each fix in `reversed-fixes.mjs`, which
// the histories must notice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REVERSED_FIXES } from './verify/reversed-fixes.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** A process that lives longer only uses more memory. */
const PER_PROCESS = 1_000;
/** How many histories may be needed to notice that a fix is missing. */
const MOST = 5_000;

const [count = 100_000, first = 0] = process.argv.slice(2).map(Number);
const { played, failures } = await playAll(await bundle('all', []), first, count, Infinity);
console.log(`${played} histories, ${failures.length} failed`);
if (failures.length > 0) process.exitCode = 1;

for (const { name, changes } of REVERSED_FIXES) {
  const found = await playAll(await bundle(name, changes), 0, MOST, 1, true);
  const [seed] = found.failures;
  console.log(
    seed === undefined ? `NOT NOTICED: ${name} removed` : `${name} removed: noticed after ${found.played} histories`,
  );
  if (seed === undefined) process.exitCode = 1;
}

/**
 * @param {string} program
 * @param {number} from
 * @param {number} total
 * @param {number} most Failures after which it ends.
 * @param {boolean} [isQuiet]
 */
async function playAll(program, from, total, most, isQuiet = false) {
  const failures = /** @type {string[]} */ ([]);
  let next = from;
  let played = 0;
  const work = async () => {
    while (next < from + total && failures.length < most) {
      const seed = next;
      next = Math.min(from + total, seed + PER_PROCESS);
      const child = spawn(process.execPath, [program, String(seed), String(next - seed)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => (said += text));
      const [code] = /** @type {[number | null]} */ (await once(child, 'close'));
      played += Number(/^(\d+) played/m.exec(said)?.[1] ?? 0);
      if (code === 0) continue;
      failures.push(said);
      if (!isQuiet) console.log(said);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return { played, failures };
}

/** Bundles the histories with these changes to the sources. @param {string} name @param {readonly import('./verify/reversed-fixes.mjs').Change[]} changes */
async function bundle(name, changes) {
  const { rolldown } = await import('rolldown');
  const left = new Set(changes);
  const made = await rolldown({
    input: join(root, 'tests', 'histories', 'main.ts'),
    platform: 'node',
    resolve: { conditionNames: ['@countersign/source', 'node', 'import'] },
    // These load native code or their own files.
    external: [/^@photostructure\/sqlite/, /^graphile-worker/, /^pg(\/|$)/, /^pino/],
    logLevel: 'silent',
    plugins: [
      {
        name: 'reverse-fixes',
        transform(code, id) {
          let changed = code;
          for (const change of changes) {
            if (!id.endsWith(change.file) || !changed.includes(change.text)) continue;
            changed = changed.replace(change.text, () => change.by);
            left.delete(change);
          }
          return changed;
        },
      },
    ],
  });
  const dir = join(root, '.cache', 'histories', name.replaceAll(' ', '-'));
  await made.write({ dir, format: 'esm' });
  await made.close();
  if (left.size > 0) throw new Error(`${name}: nothing to change in ${[...left].map(({ file }) => file).join(', ')}`);
  return join(dir, 'main.js');
}
