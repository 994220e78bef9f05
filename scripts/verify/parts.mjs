// The parts of `npm run verify`: a row each. Without the suite, their budgets add up to three hours at most on two cores.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} what What it checks, for the report.
 * @property {number} minutes Its budget.
 * @property {{ variable: string, full: string }} size An environment variable sets its size.
 * @property {(size: string) => { command: readonly string[], env?: Record<string, string>, times?: number }} run
 * @property {(output: string) => readonly string[]} figures From its output to what the report says.
 * @property {(output: string) => readonly (readonly string[])[]} [lists] From its output to what it tried one by one.
 */

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

const RED_TEAM = ['tests/red-team'];
const KILLS = ['packages/countersign/src/crash.test.ts', 'packages/tools/src/sandbox/draft/rehearsal/killed.test.ts'];
const RUN_KILLS = ['tests/terminal/run-kills.test.ts', 'tests/agents/run-kills.test.ts'];
const INTERLEAVINGS = ['packages/tools/src/sandbox/draft/git/interleavings.test.ts'];
const CORPORA = ['packages/tools/src/sandbox/draft/rehearsal/corpora.test.ts'];
const AGENTS = ['tests/agents'];
const BROWSER = ['tests/web'];
const MUTANTS = 'tests/authority/mutants.test.ts';
const PUSH = ['tests/web/rounds.test.ts', 'tests/many-processes/postgres-notices.test.ts'];
const SOAK = ['tests/many-processes/postgres-soak.test.ts', 'tests/many-processes/postgres-failures.test.ts'];

const WITH_OWN_PARTS = [
  ...RED_TEAM,
  ...KILLS,
  ...RUN_KILLS,
  ...CORPORA,
  ...AGENTS,
  ...SOAK,
  ...BROWSER,
  ...PUSH,
  MUTANTS,
];

/** @type {readonly Part[]} */
export const PARTS = [
  {
    name: 'hygiene',
    what: 'unused code, and the contents of the packages',
    minutes: 1,
    size: { variable: 'VERIFY_HYGIENE', full: 'all' },
    run: () => ({ command: ['npm', 'run', '--silent', 'hygiene'] }),
    figures: () => [],
  },
  {
    name: 'install',
    what: 'the packed packages, installed and used on each version of Node',
    minutes: 2,
    size: { variable: 'INSTALL_NODES', full: '20,22,24' },
    run: (size) => ({ command: ['npm', 'run', '--silent', 'install-check'], env: { INSTALL_NODES: size } }),
    figures: (output) => linesOf(output, /^(Node v[\d.]+: .*)$/gm),
  },
  {
    name: 'suite',
    what: '`npm test`, several times in a row',
    minutes: 40,
    size: { variable: 'SUITE_RUNS', full: '5' },
    run: (size) => ({ command: ['npm', 'test'], env: { RUNS_FACTOR: '0.05' }, times: Number(size) }),
    figures: tally,
  },
  {
    name: 'drills',
    what: 'the newest coding agents that have a binary for this machine, drilled',
    minutes: 15,
    size: { variable: 'DRILL_AGENTS', full: 'all' },
    run: (size) => ({ command: ['npm', 'run', '--silent', 'drill-check'], env: { DRILL_AGENTS: size } }),
    figures: (output) => [
      ...linesOf(output, /^drilled: (.*)$/gm),
      ...linesOf(output, /^(\d+ as expected, \d+ failed, \d+ skipped)$/gm),
    ],
  },
  {
    name: 'agents',
    what: 'the same agents behind the gate, in every way to decide, and attempts to leave a run from inside them',
    minutes: 5,
    size: { variable: 'AGENT_TESTS', full: AGENTS.join(' ') },
    run: (size) => test(size.split(' '), '1', {}, RUN_KILLS),
    figures: (output) => [
      ...linesOf(output, /^(\w+: \d+ attempts from inside a run, \d+ got through)$/gm),
      ...tally(output),
    ],
    lists: (output) => [...output.matchAll(/^tried (\w+) \((\d+)\): (.*)$/gm)].map(([, ...found]) => found),
  },
  {
    name: 'red-team',
    what: 'every order through every channel on every ground',
    minutes: 10,
    size: { variable: 'RED_TEAM_FACTOR', full: '1' },
    run: (size) => test(RED_TEAM, size),
    figures: (output) => [...linesOf(output, /^red team (\(.* ran without approval)/gm), ...tally(output)],
  },
  {
    name: 'authority',
    what: 'the authority matrix, with each check of a route switched off',
    minutes: 2,
    size: { variable: 'AUTHORITY_MUTANTS', full: 'all' },
    run: (size) => test([MUTANTS], '1', { AUTHORITY_MUTANTS: size }),
    figures: (output) => [...linesOf(output, /(\d+ (?:routes|checks) .*, \d+ survived)/g), ...tally(output)],
  },
  {
    name: 'kills',
    what: 'processes killed at random moments of a turn, and of a rehearsal',
    minutes: 12,
    size: { variable: 'KILLS', full: '1000' },
    run: (size) => test(KILLS, '1', { KILLS: size }),
    figures: (output) => [...linesOf(output, /^(\d+ kills .*)$/gm), ...tally(output)],
  },
  {
    name: 'run-kills',
    what: 'the program, the supervisor or the server killed at random moments of a run, and of a run of each real agent',
    minutes: 14,
    size: { variable: 'RUN_KILLS', full: '100' },
    run: (size) => test(RUN_KILLS, '1', { RUN_KILLS: size }),
    figures: (output) => [...linesOf(output, /^(\d+ kills of a run.*)$/gm), ...tally(output)],
  },
  {
    name: 'interleavings',
    what: 'a run and a person who work in one Git repository at the same time',
    minutes: 8,
    size: { variable: 'INTERLEAVINGS', full: '1000' },
    run: (size) => test(INTERLEAVINGS, '1', { INTERLEAVINGS: size }),
    figures: (output) => [...linesOf(output, /^(\d+ interleavings: .*)$/gm), ...tally(output)],
  },
  {
    name: 'histories',
    what: 'random requests of every role and credential, with kills; three fixes removed, which must be noticed',
    minutes: 26,
    size: { variable: 'HISTORIES', full: '100000' },
    run: (size) => ({ command: ['npm', 'run', '--silent', 'histories', '--', size] }),
    figures: (output) => linesOf(output, /^(\d+ histories, \d+ failed|.* removed: noticed after .*)$/gm),
  },
  {
    name: 'soak',
    what: 'turns on several servers that are killed and frozen',
    minutes: 6,
    size: { variable: 'SOAK_TURNS', full: '1000' },
    run: (size) => ({ command: ['npm', 'run', '--silent', 'soak'], env: { SOAK_TURNS: size } }),
    figures: (output) => [...linesOf(output, /^soak: (.*)$/gm).map(soakFigures), ...tally(output)],
  },
  {
    name: 'push',
    what: 'questions that reach phones with no page open, while servers restart or are killed and networks are gone',
    minutes: 12,
    size: { variable: 'PUSH_ROUNDS', full: '100' },
    run: (size) => test(PUSH, '1', { PUSH_ROUNDS: size }),
    figures: (output) => [...linesOf(output, /^(?:rounds|notices): (.*)$/gm), ...tally(output)],
  },
  {
    name: 'corpora',
    what: 'the effect of each command of the corpora, compared with a real run; every nth command',
    minutes: 8,
    size: { variable: 'CORPUS_EVERY', full: '1' },
    run: (size) => test(CORPORA, '1', { CORPUS_EVERY: size }),
    figures: (output) => [...linesOf(output, /^(\d+ cases): /gm), ...tally(output)],
  },
  {
    name: 'browser',
    what: 'the pages in a real browser, in every size, theme and sandbox',
    minutes: 10,
    size: { variable: 'BROWSER_FACTOR', full: '1' },
    run: (size) => test(BROWSER, size, {}, PUSH),
    figures: tally,
  },
  {
    name: 'full-size',
    what: 'all other tests that `npm test` samples, at full size: fuzz, properties, and every size, store and sandbox',
    minutes: 12,
    size: { variable: 'FULL_SIZE_FACTOR', full: '1' },
    run: (size) => test(sampledTests(), size, {}, WITH_OWN_PARTS),
    figures: (output) => [...linesOf(output, /^(\d+ fuzzed .*)$/gm), ...tally(output)],
  },
  {
    name: 'benchmarks',
    what: 'all benchmarks, with their targets',
    minutes: 28,
    size: { variable: 'BENCH_FLAGS', full: '' },
    run: (size) => ({
      command: ['npm', 'run', '--silent', 'bench', '--', ...size.split(' ').filter((word) => word !== '')],
    }),
    figures: (output) => linesOf(output, /^(\d+ of \d+ targets met.*)$/gm),
  },
];

/**
 * @param {readonly string[]} files
 * @param {string} factor
 * @param {Record<string, string>} [env]
 * @param {readonly string[]} [without]
 */
function test(files, factor, env = {}, without = []) {
  const excluded = without.flatMap((each) => ['--exclude', each.endsWith('.ts') ? each : `${each}/**`]);
  return { command: [process.execPath, vitest, 'run', ...files, ...excluded], env: { ...env, RUNS_FACTOR: factor } };
}

/** Test files whose size depends on `RUNS_FACTOR`, themselves or through a kit. The others are no larger here than in `npm test`. */
function sampledTests() {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const files = ['packages', 'tests']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => path.endsWith('.ts') && !/(?:^|\/)(?:node_modules|dist|\.\w+)\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  /** @param {{ text: string }} file */
  const isSampled = ({ text }) => /\/scaled\.js'|from 'fast-check'|RUNS_FACTOR/.test(text);
  const tests = files.filter(({ path }) => path.endsWith('.test.ts'));
  const kits = files
    .filter((file) => !tests.includes(file) && isSampled(file))
    .map(({ path }) => `/${basename(path, '.ts')}.js'`);
  return tests.filter((file) => isSampled(file) || kits.some((kit) => file.text.includes(kit))).map(({ path }) => path);
}

/** @param {string} output @param {RegExp} pattern */
function linesOf(output, pattern) {
  return [...output.matchAll(pattern)].map(([, line = '']) => line);
}

/** What the tally reporter prints. @param {string} output */
function tally(output) {
  const skipped = linesOf(output, /^(\d+ skipped)$/gm);
  return linesOf(output, /^(\d+ passed, \d+ failed)$/gm).map((line, at) =>
    [line, skipped[at]].filter(Boolean).join(', '),
  );
}

/** @param {string} line */
function soakFigures(line) {
  const { turns, seconds, kills, answerMs } =
    /** @type {{ turns: number, seconds: number, kills: number, answerMs: { median: number, p99: number } }} */ (
      JSON.parse(line)
    );
  return `${turns} turns in ${Math.round(seconds)} s, ${kills} kills, answers: median ${answerMs.median} ms, p99 ${answerMs.p99} ms`;
}
