// `docs/verify.md`: which parts of `npm run verify` ran, on which commit and machine, and their figures.
import { arch, cpus, release, totalmem, type } from 'node:os';

/**
 * @typedef {object} Result
 * @property {string} commit
 * @property {string} size
 * @property {boolean} ok
 * @property {number} times How often it has succeeded, for parts that run several times.
 * @property {number} seconds
 * @property {readonly string[]} figures
 * @property {readonly string[]} leftOut What could not run on this machine.
 * @property {readonly (readonly string[])[]} [lists] What was tried one by one: a name, how many, and each of them.
 */

/** Neither host names nor paths. */
export function describeMachine() {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${type()} ${release().replace(/^(\d+\.\d+).*/, '$1')}, ${arch()}, ${cpus().length} cores, ${memory} GiB of memory, Node ${process.versions.node}`;
}

/** What a program says it could not do here. @param {string} output */
export function leftOutIn(output) {
  const lines = [...output.matchAll(/^(?:LEFT OUT|skipped): (.*)$/gm)].map(([, line = '']) => line.trim());
  return [...new Set(lines)];
}

/**
 * Rows of parts that did not run stay as they are in `before`, if it is from the same machine.
 *
 * @param {{ parts: readonly import('./parts.mjs').Part[], results: Readonly<Record<string, Result>>, machine: string, before: string }} given
 */
export function writeReport({ parts, results, machine, before }) {
  const isSameMachine = before.includes(`\nMachine: ${machine}.\n`);
  const rows = parts.map((part) => {
    const kept = isSameMachine ? before.split('\n').find((line) => line.startsWith(`| ${part.name} |`)) : undefined;
    const result = results[part.name];
    return result === undefined ? (kept ?? row(part.name, part.what, '', '', '', 'not run')) : rowOf(part, result);
  });
  const known = isSameMachine ? before.split('\n').filter((line) => line.startsWith('- ')) : [];
  const leftOut = [
    ...known.filter((line) => !parts.some(({ name }) => name in results && line.startsWith(`- ${name}: `))),
    ...parts.flatMap(({ name }) => (results[name]?.leftOut ?? []).map((line) => `- ${name}: ${line}`)),
  ];
  const lists = [
    ...(isSameMachine ? before.split('\n').filter((line) => /^\| [\w-]+: /.test(line)) : []).filter(
      (line) => !parts.some(({ name }) => name in results && line.startsWith(`| ${name}: `)),
    ),
    ...parts.flatMap(({ name }) =>
      (results[name]?.lists ?? []).map(([of = '', ...rest]) =>
        row(`${name}: ${of}`, ...rest.map((cell) => cell.replaceAll('|', '\\|'))),
      ),
    ),
  ];
  return [
    '# Verification',
    '',
    'Written by `npm run verify`. [CONTRIBUTING.md](../CONTRIBUTING.md) says how to run its parts.',
    '',
    `Machine: ${machine}.`,
    '',
    row('part', 'what', 'commit', 'size', 'duration', 'result'),
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    ...(lists.length === 0
      ? []
      : ['## What was tried one by one', '', row('part', 'count', 'what'), '|---|---|---|', ...lists, '']),
    '## What did not run on this machine',
    '',
    ...(leftOut.length === 0 ? ['No part that ran left anything out.'] : leftOut),
    '',
  ].join('\n');
}

/** @param {import('./parts.mjs').Part} part @param {Result} result */
function rowOf({ name, what, size }, result) {
  const minutes = `${Math.floor(result.seconds / 60)} min ${Math.round(result.seconds % 60)} s`;
  const verdict = result.ok ? 'passed' : '**failed**';
  const said = [verdict, ...result.figures].join('; ').replaceAll('|', '\\|');
  return row(name, what, result.commit, `${size.variable}=${result.size}`, minutes, said);
}

/** @param {readonly string[]} cells */
function row(...cells) {
  return `| ${cells.join(' | ')} |`;
}
