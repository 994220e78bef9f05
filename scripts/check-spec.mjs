// Compares the rule numbers in docs/spec with those that tests quote in their titles, as in it('[CALL6] …'), and checks that rules and chapters stay short.
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
 * @property {string[]} problems rules and chapters that are too long or out of order
 */

const LONGEST_RULE = 3;
const LONGEST_CHAPTER = 4_500;
const NUMBER = '[A-Z]+\\d+(?:\\.\\d+)?';
const QUOTED = new RegExp(`\\[(${NUMBER}(?:, ?${NUMBER})*)\\]`, 'g');

/** @returns {SpecCoverage} */
export function checkSpec() {
  const all = chapters();
  const listed = readList(read('docs/spec/not-built-yet.txt'));
  return {
    ...compare(specNumbers([...all.values()].join('\n')), listed, quotes()),
    problems: [...all].flatMap(([file, text]) => chapterProblems(file, text)),
  };
}

/**
 * The files of the spec that have rules, by name.
 * @returns {Map<string, string>}
 */
export function chapters() {
  const files = readdirSync(join(root, 'docs/spec')).filter((file) => file.endsWith('.md'));
  const texts = files.map((file) => /** @type {const} */ ([file, read(`docs/spec/${file}`)]));
  return new Map(texts.filter(([, text]) => specNumbers(text).length > 0));
}

/**
 * What is too long or out of order in a chapter. Sub-rules follow their rule and count from 1.
 * @param {string} file
 * @param {string} text
 * @returns {string[]}
 */
export function chapterProblems(file, text) {
  const rules = [...text.matchAll(new RegExp(`^ *- \\*\\*(${NUMBER})\\*\\* (.*)`, 'gm'))];
  const long = rules.flatMap(([, number = '', rule = '']) => {
    const count = countSentences(rule);
    return count > LONGEST_RULE ? [`${number} has ${count} sentences`] : [];
  });
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  return [
    ...long,
    ...(words > LONGEST_CHAPTER ? [`${file} has ${words} words`] : []),
    ...outOfOrder(rules.map(([, number = '']) => number)),
  ];
}

/** @param {string[]} numbers */
function outOfOrder(numbers) {
  let [rule, sub] = [0, 0];
  return numbers.flatMap((number) => {
    const [at = 0, below] = number
      .replace(/^[A-Z]+/, '')
      .split('.')
      .map(Number);
    const isNext = below === undefined ? at === rule + 1 : at === rule && below === sub + 1;
    [rule, sub] = [at, below ?? 0];
    return isNext ? [] : [`${number} is out of order`];
  });
}

/**
 * The sentences of a rule. Code counts as one word, and a full stop before a small letter ends none.
 * @param {string} rule
 */
export function countSentences(rule) {
  const plain = rule.replaceAll(/`[^`]*`/g, 'Code');
  return plain.split(/(?<=[.!?][)*”"]*)\s+(?![a-z])/).length;
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
 * @returns {Omit<SpecCoverage, 'problems'>}
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
  return [...text.matchAll(new RegExp(`^ *- \\*\\*(${NUMBER})\\*\\*`, 'gm'))].map(([, number = '']) => number);
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
      for (const [, list = ''] of titleText(title).matchAll(QUOTED)) {
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
