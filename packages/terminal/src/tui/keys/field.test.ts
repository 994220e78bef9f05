import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edit, EMPTY_FIELD, fieldOf, type Field } from './field.js';
import type { Key, KeyName } from './key.js';

const name = (key: KeyName): Key => ({ kind: 'name', name: key });

describe('a field', () => {
  it('can be edited', () => {
    let field: Field = EMPTY_FIELD;
    for (const character of 'hallo') field = edit(field, { kind: 'char', text: character }) ?? field;
    field = edit(field, name('left')) ?? field;
    field = edit(field, name('backspace')) ?? field;
    expect(field).toEqual({ text: 'halo', cursor: 3 });
    expect(edit(field, { kind: 'ctrl', letter: 'u' })).toEqual({ text: 'o', cursor: 0 });
    expect(edit(fieldOf('two words'), { kind: 'ctrl', letter: 'w' })).toEqual(fieldOf('two '));
    expect(edit(fieldOf('a🚢'), name('backspace'))).toEqual(fieldOf('a'));
    expect(edit(fieldOf('ab\ncd'), name('up'))).toEqual({ text: 'ab\ncd', cursor: 2 });
    expect(edit(fieldOf('ab'), name('up'))).toBeUndefined();
  });

  it('keeps its cursor in the text, whatever is pressed', () => {
    const keys = fc.array(
      fc.oneof(
        fc
          .constantFrom<KeyName>('left', 'right', 'home', 'end', 'up', 'down', 'backspace', 'delete', 'newline')
          .map(name),
        fc.constantFrom('a', 'e', 'u', 'k', 'w').map((letter): Key => ({ kind: 'ctrl', letter })),
        fc.constantFrom('x', '漢', '🚢', ' ').map((text): Key => ({ kind: 'char', text })),
        fc.string().map((text): Key => ({ kind: 'paste', text })),
      ),
    );
    fc.assert(
      fc.property(keys, (pressed) => {
        let field: Field = EMPTY_FIELD;
        for (const key of pressed) {
          field = edit(field, key) ?? field;
          expect(field.cursor).toBeGreaterThanOrEqual(0);
          expect(field.cursor).toBeLessThanOrEqual(field.text.length);
          expect(field.text).not.toMatch(/[\0-\x08\x0B-\x1F]/);
        }
      }),
    );
  });
});
