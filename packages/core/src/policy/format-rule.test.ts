import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { scaled } from '../../../../tests/support/scaled.js';
import { formatRule } from './format-rule.js';
import { isHidden } from './patterns/hidden-characters.js';
import { parseRule } from './parse-rule.js';
import type { PatternWord, Rule } from './types.js';

const literal = (text: string): PatternWord => (text === '' ? [] : [{ text }]);
const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('*', '(', ')', "'", '"', '\\', ' ', '\t', '\n', '\ud800', '\u202e', 'n', 'u', '{', '/'),
    maxLength: 12,
  }),
);

describe('formatRule', () => {
  it('[A19] formats rules as a person would write them', () => {
    const words = [
      literal('git'),
      literal('a b'),
      literal("it's"),
      literal('line\n'),
      [{ text: 'x y' }, { stars: 1 } as const],
    ];
    expect(formatRule({ verb: 'allow', tool: 'shell_cmd', words })).toBe(
      "allow shell_cmd(git 'a b' it\\'s line\\n x\\ y*)",
    );
    expect(formatRule({ verb: 'deny', tool: '*' })).toBe('deny *');
  });

  it('[A19] escapes any text so that it round-trips and has no invisible characters', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 5 }), (texts) => {
        const rule: Rule = { verb: 'allow', tool: 'x', words: texts.map(literal) };
        const text = formatRule(rule);
        expect(parseRule(text)).toMatchObject({ ok: true, rule });
        expect(isHidden(text)).toBe(false);
      }),
      { numRuns: scaled(1000) },
    );
  });

  it('[A19] keeps stars as stars', () => {
    const word = fc
      .array(
        anyText.filter((text) => text !== ''),
        { minLength: 1, maxLength: 3 },
      )
      .map((texts) => texts.flatMap((text, index) => (index === 0 ? [{ text }] : [{ stars: 1 as const }, { text }])));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const rule: Rule = { verb: 'deny', tool: 'x', words };
        expect(parseRule(formatRule(rule))).toMatchObject({ ok: true, rule });
      }),
    );
  });
});
