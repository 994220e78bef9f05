import { expect, it } from 'vitest';
import { cellsOf } from './cells.js';
import { suggestion } from './suggest.js';
import { table } from './table.js';

const columns = [
  { title: 'id', of: ({ id }: { id: string }) => id },
  { title: 'text', of: ({ text }: { text: string }) => text },
];

it('aligns columns and truncates the widest to the terminal width; without a terminal, nothing is truncated', () => {
  const rows = [
    { id: 'one', text: 'a\nb \u001B[31m' },
    { id: '漢字', text: 'x'.repeat(90) },
  ];
  const shown = table(rows, columns, 40);
  expect(shown.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual(['ID', 'one', '漢字']);
  expect(Math.max(...shown.split('\n').map(cellsOf))).toBe(40);
  expect(shown).toContain('a b ‹U+001B›[31m');
  expect(shown).toContain('…');
  expect(table(rows, columns, undefined)).toContain('x'.repeat(90));
});

it('never truncates ids: commands need them whole', () => {
  const id = `approval_${'0'.repeat(32)}`;
  const shown = table([{ id, text: 'x'.repeat(90) }], columns, 60);
  expect(shown).toContain(id);
  expect(Math.max(...shown.split('\n').map(cellsOf))).toBe(60);
});

it('suggests a similar name, or lists the available ones', () => {
  expect(suggestion('harbor', ['harbour', 'ops'])).toBe('Did you mean "harbour"?');
  expect(suggestion('zzzzzz', ['harbour', 'ops'])).toBe('Available: "harbour", "ops".');
  expect(suggestion('x', [])).toBe('There are none yet.');
});
