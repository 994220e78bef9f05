import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { exactText, plainLine, plainText, printedText } from './plain-text.js';

const IN_EXACT = /[\0-\x08\x0B-\x1F\x7F-\x9F]|\p{Cf}|\p{Cs}|\p{Bidi_Control}/u;
const IN_LINE = /[\0-\x1F\x7F-\x9F]|\p{Cs}|\p{Bidi_Control}/u;

describe('untrusted text', () => {
  it.each([
    ['\u001B]52;c;ZXZpbA==\u0007', '‹U+001B›]52;c;ZXZpbA==‹U+0007›'],
    ['a\u009B2Jb', 'a‹U+009B›2Jb'],
    ['ls\rrm', 'ls‹U+000D›rm'],
    ['rm\b\bls', 'rm‹U+0008›‹U+0008›ls'],
    ['\u202Egpj', '‹U+202E›gpj'],
    ['a\u200Bb\u200Dc\u2060', 'a‹U+200B›b‹U+200D›c‹U+2060›'],
    ['ls\u{E0041}\u{E007F}', 'ls‹U+E0041›‹U+E007F›'],
    ['\u3164\uFFA0\u00AD\u061C', '‹U+3164›‹U+FFA0›‹U+00AD›‹U+061C›'],
  ])('[SAFE6.7] escapes %j, in prose and in text that will run', (text, shown) => {
    expect(plainText(text)).toBe(shown);
    expect(exactText(text)).toBe(shown);
  });

  it('[SAFE6.8] shows output as a terminal would, and escapes what else moves the cursor', () => {
    expect(printedText('  0 %\r 50 %\r100 %\r\nok\r\n\r\n\r')).toBe('100 %\nok\n\n');
    expect(exactText(printedText('a\rb\u001B[2J\b'))).toBe('b‹U+001B›[2J‹U+0008›');
  });

  it('[SAFE6.7] also escapes unusual spaces and variation selectors in text that will run', () => {
    expect(exactText('rm\u00A0-rf\u3000/ \uFE0F\r\n')).toBe('rm‹U+00A0›-rf‹U+3000›/ ‹U+FE0F›‹U+000D›\n');
    expect(plainText('❤\uFE0F and\r\nmore\u00A0')).toBe('❤\uFE0F and\nmore\u00A0');
  });

  it('[SAFE6.7] limits stacked combining marks, and does not change ordinary letters', () => {
    expect(plainText('é\u0301 หนึ่ง हिन्दी שָׁלוֹם ệ')).toBe('é\u0301 หนึ่ง हिन्दी שָׁלוֹם ệ');
    const pile = `a${'\u0336'.repeat(6)}b`;
    expect(exactText(pile)).toBe(`a${'\u0336'.repeat(4)}‹U+0336›‹U+0336›b`);
  });

  it('[SAFE6.7] never contains anything that moves the cursor, for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(IN_EXACT.test(exactText(text))).toBe(false);
        expect(IN_LINE.test(plainLine(text))).toBe(false);
      }),
    );
  });
});
