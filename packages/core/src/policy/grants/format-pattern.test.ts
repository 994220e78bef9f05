import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../../tests/support/any-character.js';
import { scaled } from '../../../../../tests/support/scaled.js';
import { formatPattern } from './format-pattern.js';
import { isHidden } from '../patterns/hidden-characters.js';
import { parseRule } from '../rules/parse-rule.js';
import type { PatternWord } from '../types.js';

const literal = (text: string): PatternWord => (text === '' ? [] : [{ text }]);
const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('*', '(', ')', "'", '"', '\\', ' ', '\t', '\n', '\ud800', '\u202e', 'n', 'u', '{', '/'),
    maxLength: 12,
  }),
);

describe('formatPattern', () => {
  it('[RULE1] formats words as a person would write them', () => {
    const words = [
      literal('git'),
      literal('a b'),
      literal("it's"),
      literal('line\n'),
      [{ text: 'x y' }, { stars: 1 } as const],
    ];
    expect(formatPattern(words)).toBe("git 'a b' it\\'s line\\n x\\ y*");
  });

  it('[RULE1] escapes any text so that it round-trips and has no invisible characters', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 5 }), (texts) => {
        const words = texts.map(literal);
        const text = formatPattern(words);
        expect(parseRule(`allow x(${text})`)).toMatchObject({ ok: true, rule: { words } });
        expect(isHidden(text)).toBe(false);
      }),
      { numRuns: scaled(1000) },
    );
  });

  it('[RULE1] keeps stars as stars', () => {
    const word = fc
      .array(
        anyText.filter((text) => text !== ''),
        { minLength: 1, maxLength: 3 },
      )
      .map((texts) => texts.flatMap((text, index) => (index === 0 ? [{ text }] : [{ stars: 1 as const }, { text }])));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        expect(parseRule(`deny x(${formatPattern(words)})`)).toMatchObject({ ok: true, rule: { words } });
      }),
    );
  });
});
