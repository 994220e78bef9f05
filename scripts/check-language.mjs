// Finds phrases that the style guide bans (CONTRIBUTING.md, "Language") in docs, comments, texts and test titles.
// Prints them with file and line.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A phrase, and what to write instead. */
const BANNED = /** @type {const} */ ([
  ['anew', 'again'],
  ['unasked', 'without approval'],
  ['whoever', 'anyone who, or a concrete subject'],
  ['for ever', 'forever, or for how long'],
  // Excludes the loop `for (… of which)`.
  [String.raw`of which(?!\))`, 'a sentence of its own'],
  ['is none', 'there is no …, or invalid'],
  ['by now', 'since then, or leave it out'],
  ['but for', 'except'],
  ['goes on', 'continues'],
  ['in words', 'as text, or with an error message'],
]);

const PATTERN = new RegExp(String.raw`\b(?:${BANNED.map(([phrase]) => phrase).join('|')})\b`, 'gi');

/**
 * @param {string} text
 * @returns {{ line: number, phrase: string }[]}
 */
export function bannedPhrases(text) {
  return text
    .split('\n')
    .flatMap((line, index) => [...line.matchAll(PATTERN)].map(([phrase]) => ({ line: index + 1, phrase })));
}

/**
 * @param {ReadonlyMap<string, string>} files path → text
 * @returns {string[]} the phrases with file and line
 */
export function checkLanguage(files) {
  return [...files].flatMap(([file, text]) =>
    bannedPhrases(text).map(({ line, phrase }) => `${file}:${line}: "${phrase}"`),
  );
}

const FOLDERS = ['packages', 'docs', 'tests', 'scripts', 'bench', 'examples'];
const SKIPPED = new Set(['node_modules', 'dist', '.types', 'pictures', 'fixtures', '__snapshots__']);
/** Files that have to contain the phrases. */
const OWN = new Set(['scripts/check-language.mjs', 'tests/plain-english.test.ts']);

/** @returns {Map<string, string>} */
export function textFiles() {
  const found = [...readdirSync(root).filter((name) => name.endsWith('.md') || name.endsWith('.ts'))];
  for (const folder of FOLDERS) collect(folder, found);
  return new Map(found.filter((file) => !OWN.has(file)).map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/**
 * @param {string} folder
 * @param {string[]} found
 */
function collect(folder, found) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) collect(path, found);
    else if (entry.isFile() && /\.(?:md|tsx?|mjs)$/.test(entry.name)) found.push(path);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const banned = checkLanguage(textFiles());
  for (const hit of banned) console.log(hit);
  process.exitCode = banned.length > 0 ? 1 : 0;
}
