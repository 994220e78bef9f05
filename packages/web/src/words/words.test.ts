import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '..');
/** Attributes and properties that people read or hear. */
const READ = new Set(['label', 'title', 'hint', 'placeholder', 'alt', 'aria-label', 'what', 'lead', 'words', 'note']);

it('every text that people read in the web app comes from words/', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.tsx') && !file.startsWith('words/'),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(
    files.flatMap((file) => textsIn(readFileSync(join(src, file), 'utf8')).map((text) => `${file}: ${text}`)),
  ).toEqual([]);
});

it.each([
  ['<p>Deny all</p>', ['Deny all']],
  ['<Field label="Name" className="a b" />', ['Name']],
  ["say('It failed.')", ['It failed.']],
  ['<p>{t.deny} · {count}</p>', []],
])('finds the text in %s', (source, found) => {
  expect(textsIn(source)).toEqual(found);
});

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function textsIn(source: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    const text = textOf(value);
    if (text !== undefined && /[A-Za-z]{2}/.test(text)) found.push(text.trim());
    Object.values(value).forEach(visit);
  };
  visit(parseSync('source.tsx', source).program);
  return found;
}

function textOf(node: Node): string | undefined {
  if (node.type === 'JSXText') return literalOf(node);
  if (node.type === 'JSXAttribute')
    return isNode(node['name']) && READ.has(String(node['name']['name'])) ? literalOf(node['value']) : undefined;
  if (node.type !== 'CallExpression' || !isNode(node['callee']) || node['callee']['name'] !== 'say') return undefined;
  return Array.isArray(node['arguments']) ? literalOf(node['arguments'][0]) : undefined;
}

function literalOf(node: unknown): string | undefined {
  return isNode(node) && typeof node['value'] === 'string' ? node['value'] : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
