import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellParts } from './shell-parts.js';

const UNITS = `ab -'"$(){}|;&<>#\\\`\n\t=é`.split('');

describe('syntax highlighting of a command', () => {
  it('distinguishes names, flags, strings and operators', () => {
    const kinds = shellParts(`rm -rf "a b" && echo $HOME # done`).filter(({ text }) => text.trim() !== '');
    expect(kinds.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'name rm',
      'flag -rf',
      'string "a b"',
      'operator &&',
      'name echo',
      'variable $HOME',
      'comment # done',
    ]);
  });

  it('shows every character, in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...UNITS) }), (command) => {
        expect(
          shellParts(command)
            .map(({ text }) => text)
            .join(''),
        ).toBe(command);
      }),
    );
  });

  it('[SAFE6] returns a hostile command unchanged', () => {
    for (const command of ['$('.repeat(10_000), `"${'\\"'.repeat(9999)}`, 'x'.repeat(10_000_000)])
      expect(
        shellParts(command)
          .map(({ text }) => text)
          .join('') === command,
      ).toBe(true);
  });
});
