// Runs every check at full size, in parts that resume: `npm run verify -- [--list] [--only PART]… [--fresh]`. Results are kept in
// .cache/verify and written to docs/verify.md.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PARTS } from './verify/parts.mjs';
import { describeMachine, leftOutIn, writeReport } from './verify/report.mjs';

/** @typedef {import('./verify/report.mjs').Result} Result */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, '.cache', 'verify');
const stateFile = join(cache, 'state.json');
const reportFile = join(root, 'docs', 'verify.md');

const values = readOptions();

const unknown = values.only?.find((name) => !PARTS.some((part) => part.name === name));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}". Parts: ${PARTS.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}

const commit = currentCommit();
const results = /** @type {Record<string, Result>} */ (JSON.parse(read(stateFile) || '{}'));
const chosen = PARTS.filter(({ name }) => values.only === undefined || values.only.includes(name));

if (values.list) {
  for (const part of PARTS) {
    const state = isDone(part) ? 'done' : (results[part.name]?.commit ?? commit) === commit ? 'to do' : 'other commit';
    console.log(
      `${part.name.padEnd(11)} ${String(part.minutes).padStart(3)} min  ${state.padEnd(12)} ${setting(part)}`,
    );
  }
  console.log(`${PARTS.reduce((sum, { minutes }) => sum + minutes, 0)} minutes on two cores`);
  process.exit(0);
}

mkdirSync(cache, { recursive: true });
for (const part of chosen) if (values.fresh) delete results[part.name];
for (const part of chosen) {
  if (isDone(part)) console.log(`— ${part.name}: done`);
  else await run(part);
}
const failed = chosen.filter(({ name }) => results[name]?.ok !== true).map(({ name }) => name);
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exit(1);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        list: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        fresh: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error('Usage: npm run verify -- [--list] [--only PART]… [--fresh]');
    process.exit(1);
  }
}

/** @param {import('./verify/parts.mjs').Part} part */
function sizeOf({ size }) {
  return process.env[size.variable] ?? size.full;
}

/** @param {import('./verify/parts.mjs').Part} part */
function setting(part) {
  return `${part.size.variable}=${sizeOf(part)}`;
}

/** Whether it has passed on this commit at this size. @param {import('./verify/parts.mjs').Part} part */
function isDone(part) {
  const result = results[part.name];
  const times = part.run(sizeOf(part)).times ?? 1;
  return isOfThisRun(part, result) && result.ok && result.times >= times;
}

/** @param {import('./verify/parts.mjs').Part} part @param {Result | undefined} result @returns {result is Result} */
function isOfThisRun(part, result) {
  return result !== undefined && result.commit === commit && result.size === sizeOf(part);
}

/** Stores the result after each time, so that an interrupted run continues there. @param {import('./verify/parts.mjs').Part} part */
async function run(part) {
  const { command, env = {}, times = 1 } = part.run(sizeOf(part));
  const before = results[part.name];
  // After a failure, all times count again: they have to succeed in a row.
  let result = isOfThisRun(part, before) && before.ok ? before : undefined;
  while ((result?.times ?? 0) < times) {
    const nth = (result?.times ?? 0) + 1;
    console.log(`\n— ${part.name}${times > 1 ? ` ${nth} of ${times}` : ''} (${setting(part)})`);
    const startedAt = performance.now();
    const { ok, output } = await execute(command, env, join(cache, `${part.name}-${nth}.log`));
    result = {
      commit,
      size: sizeOf(part),
      ok,
      times: nth,
      seconds: (result?.seconds ?? 0) + (performance.now() - startedAt) / 1000,
      figures: [...(result?.figures ?? []), ...part.figures(output)],
      leftOut: [...new Set([...(result?.leftOut ?? []), ...leftOutIn(output)])],
      lists: part.lists?.(output) ?? [],
    };
    results[part.name] = result;
    writeFileSync(stateFile, `${JSON.stringify(results, undefined, 2)}\n`);
    const report = { parts: PARTS, results, machine: describeMachine(), before: read(reportFile) };
    writeFileSync(reportFile, writeReport(report));
    if (result.seconds > part.minutes * 60) console.error(`${part.name} took more than its ${part.minutes} minutes.`);
    if (!ok) return;
  }
}

/** @param {readonly string[]} command @param {Record<string, string>} env @param {string} log */
async function execute([program = '', ...words], env, log) {
  const child = spawn(program, words, {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = createWriteStream(log);
  let output = '';
  for (const [stream, shown] of /** @type {const} */ ([
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]))
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
      shown.write(text);
      file.write(text);
    });
  const [code] = /** @type {[number | null]} */ (await once(child, 'close'));
  file.end();
  return { ok: code === 0, output };
}

/** The report itself may have changed since. */
function currentCommit() {
  const git = (/** @type {string[]} */ ...words) =>
    spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout.trim();
  const changes = git('status', '--porcelain', '--', '.', ':!docs/verify.md');
  return `${git('rev-parse', '--short=10', 'HEAD')}${changes === '' ? '' : ' with local changes'}`;
}

/** @param {string} file */
function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
