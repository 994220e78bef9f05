// Compares the rule numbers in docs/spec with those that tests quote in their titles, as in it('[A6] …').
// Prints the differences when run directly: node scripts/check-spec.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} SpecCoverage
 * @property {string[]} unquoted in the spec, quoted by no test and not on the list
 * @property {string[]} unknown quoted by a test and not in the spec
 * @property {string[]} alreadyBuilt on the list without a note about what is missing, but quoted by a test
 * @property {string[]} obsolete on the list, but not in the spec
 * @property {string[]} listed what is not built yet
 */

/** @returns {SpecCoverage} */
export function checkSpec() {
  const numbers = specNumbers(read('docs/spec/README.md'));
  const listed = readList(read('docs/spec/not-built-yet.txt'));
  return compare(numbers, listed, quotes());
}

/** @type {Map<string, string> | undefined} */
let known;

/**
 * The numbers that test titles quote, each with a file. Cached: parsing all tests takes seconds.
 * @returns {Map<string, string>}
 */
export function quotes() {
  return (known ??= new Map(
    testFiles().flatMap((file) => quotedNumbers(file, read(file)).map((number) => [number, file])),
  ));
}

/**
 * @param {string[]} numbers of the spec
 * @param {Map<string, string>} listed as not built yet → what is missing, or empty if everything is
 * @param {Map<string, string>} quoted number → a file that quotes it
 * @returns {SpecCoverage}
 */
export function compare(numbers, listed, quoted) {
  return {
    unquoted: numbers.filter((number) => !quoted.has(number) && !listed.has(number)),
    unknown: [...quoted]
      .filter(([number]) => !numbers.includes(number))
      .map(([number, file]) => `${number} in ${file}`),
    alreadyBuilt: [...listed]
      .filter(([number, missing]) => missing === '' && quoted.has(number))
      .map(([number]) => number),
    obsolete: [...listed.keys()].filter((number) => !numbers.includes(number)),
    listed: [...listed.keys()],
  };
}

/**
 * One number per line, followed by what is missing if it is partly built.
 * @param {string} text
 * @returns {Map<string, string>}
 */
export function readList(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [number = '', ...missing] = line.trim().split(' ');
      return [number, missing.join(' ')];
    }),
  );
}

/** @param {string} text */
export function specNumbers(text) {
  return [...text.matchAll(/^ *- \*\*([A-Z]\d+(?:\.\d+)?)\*\*/gm)].map(([, number = '']) => number);
}

/**
 * The numbers in the titles of `it`, `test` and `describe`, including `.each(…)` and similar.
 * @param {string} path
 * @param {string} text
 */
export function quotedNumbers(path, text) {
  /** @type {string[]} */
  const numbers = [];
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (!title || !['it', 'test', 'describe'].includes(callerName(callee))) return;
      for (const [, list = ''] of titleText(title).matchAll(/\[([A-Z]\d+(?:\.\d+)?(?:, ?[A-Z]\d+(?:\.\d+)?)*)\]/g)) {
        numbers.push(...list.split(/, ?/));
      }
    },
  }).visit(parseSync(path, text).program);
  return numbers;
}

/**
 * @param {import('oxc-parser').Expression | import('oxc-parser').Super} callee
 * @returns {string}
 */
function callerName(callee) {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return callerName(callee.object);
  if (callee.type === 'CallExpression') return callerName(callee.callee);
  if (callee.type === 'TaggedTemplateExpression') return callerName(callee.tag);
  return '';
}

/** @param {import('oxc-parser').Argument} title */
function titleText(title) {
  if (title.type === 'Literal') return String(title.value);
  return title.type === 'TemplateLiteral' ? title.quasis.map(({ value }) => value.cooked).join('…') : '';
}

/** Test files, and the contract suites that packages share as their test kit. */
function testFiles() {
  const inPackages = readdirSync(join(root, 'packages')).flatMap((name) => filesBelow(`packages/${name}/src`));
  return [...inPackages, ...filesBelow('tests')].filter(
    (file) => /\.test\.tsx?$/.test(file) || /\/src\/testing\/.*\.ts$/.test(file),
  );
}

/** @param {string} folder */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);
}

/** @param {string} file */
function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { listed, ...findings } = checkSpec();
  for (const [finding, numbers] of Object.entries(findings)) console.log(`${finding}: ${numbers.join(', ') || 'none'}`);
  console.log(`on the list: ${listed.length}`);
  process.exitCode = Object.values(findings).some((numbers) => numbers.length > 0) ? 1 : 0;
}
