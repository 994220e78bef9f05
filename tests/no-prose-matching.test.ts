import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const SCREENS = ['web', 'terminal', 'client', 'countersign'];

const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`/.source;
/** String literals and regular expressions that code compares values with. */
const COMPARED = [
  new RegExp(`[!=]==? *(${TEXT})`, 'g'),
  new RegExp(`(${TEXT}) *[!=]==? `, 'g'),
  new RegExp(`\\bcase (${TEXT}):`, 'g'),
  new RegExp(`\\.(?:includes|startsWith|endsWith|indexOf|lastIndexOf|match|search)\\( *(${TEXT}|/[^\\n]*?/)`, 'g'),
  /(\/(?:[^/\\\n]|\\.)+\/[a-z]*)\.(?:test|exec)\(/g,
];
/** A letter, a space, and more of a sentence. Codes have no spaces. */
const PROSE = /[A-Za-z][.,:;!?]?(?: |\\s[+*]?)(?:[A-Za-z]|$|\$)/;

it('[CALL20] no screen or client compares anything with an English sentence', () => {
  const found = SCREENS.flatMap((name) => sourcesIn(join(root, 'packages', name, 'src'))).flatMap((path) =>
    proseIn(readFileSync(path, 'utf8')).map((text) => `${path.slice(root.length + 1)}: ${text}`),
  );
  expect(found).toEqual([]);
});

it.each([
  ["reason === 'no rule allows it'", true],
  ["if ('timed out' !== reason) {", true],
  ["message.startsWith('Run: ')", true],
  ['text.includes(`You are ${name}.`)', true],
  ['/outcome is unknown/.test(error)', true],
  ["case 'timed out':", true],
  ["reason.code === 'no-rule' ? 'no rule' : `by ${name}`", false],
  ["say(`Denied by ${name}`); line.startsWith('  ')", false],
])('finds prose in %s: %s', (source, isProse) => {
  expect(proseIn(source).length > 0).toBe(isProse);
});

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|(?:^|\/)testing\//.test(path))
    .map((path) => join(folder, path));
}

function proseIn(source: string): string[] {
  return COMPARED.flatMap((pattern) => Array.from(source.matchAll(pattern), ([, text = '']) => text)).filter((text) =>
    PROSE.test(text.slice(1, -1)),
  );
}
