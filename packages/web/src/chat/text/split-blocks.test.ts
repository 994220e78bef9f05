import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitBlocks } from './split-blocks.js';

const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\n\n', '```\n', '~~~', '- ', '1. ') });

describe('blocks of an answer', () => {
  it('keeps fences, lists and indented blocks whole', () => {
    const answer = 'One.\n\n```ts\na\n\nb\n```\n\n1. a\n\n   more of a\n\n2. b\n\nEnd.';
    expect(splitBlocks(answer)).toEqual([
      'One.\n\n',
      '```ts\na\n\nb\n```\n\n',
      '1. a\n\n   more of a\n\n2. b\n\n',
      'End.',
    ]);
  });

  it('keeps every character of any text', () => {
    fc.assert(
      fc.property(text, (answer) => {
        expect(splitBlocks(answer).join('')).toBe(answer);
      }),
    );
  });

  it('does not change earlier blocks while more text arrives', () => {
    fc.assert(
      fc.property(text, text, (before, added) => {
        const finished = splitBlocks(before).slice(0, -1);
        expect(splitBlocks(before + added).slice(0, finished.length)).toEqual(finished);
      }),
    );
  });
});
