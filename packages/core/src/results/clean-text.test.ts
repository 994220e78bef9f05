import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { scaled } from '../../../../tests/support/scaled.js';
import { cleanText, decodeUtf8 } from './clean-text.js';

describe('cleanText', () => {
  it.each([
    ['colors', '\u001B[1;31mred\u001B[0m', 'red'],
    ['8-bit colors', '\u009B31mred', 'red'],
    ['cursor moves and erasing', 'a\u001B[2K\u001B[1Gb\u001B[?25l', 'ab'],
    ['a title', '\u001B]0;evil title\u0007text', 'text'],
    ['a link', '\u001B]8;;http://x\u001B\\link\u001B]8;;\u001B\\', 'link'],
    ['a device string', 'a\u001BPq#0;2;0;0\n0\u001B\\b', 'ab'],
    ['a character set', '\u001B(Btext\u001B=\u001BM', 'text'],
    ['an escape at the end', 'text\u001B', 'text'],
    ['other controls', 'a\u0000b\u0007c\bd\u007Fe\u0085f', 'abcdef'],
    ['lone surrogates', 'a\uD800b\uDFFFc\u{1F600}', 'a\uFFFDb\uFFFDc\u{1F600}'],
    ['Windows line ends', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    [
      'a progress line',
      'start\nDownloading 10%\rDownloading 55%\rDownloading 100%\nend',
      'start\nDownloading 100%\nend',
    ],
    ['a percentage', '10%\r20%\r100%', '100%'],
    ['a spinner', 'x\n|\r/\r-\r\ny', 'x\n-\ny'],
    ['carriage returns as line breaks', 'first\rsecond\rthird', 'first\nsecond\nthird'],
    ['lines of numbers that end with a carriage return', '1,2\r3,4\r5,6', '1,2\n3,4\n5,6'],
    ['line feeds, tabs and spaces are kept', 'a\n\n   \n\tb', 'a\n\n   \n\tb'],
  ])('[TURN14] %s', (_what, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it('[TURN14] an unterminated title sequence removes no more than its line', () => {
    expect(cleanText('a\u001B]0;title\nimportant')).toBe('a\nimportant');
    expect(cleanText('a\u001BPunfinished\nimportant')).toBe('aunfinished\nimportant');
  });

  it('[TURN14] removes all cursor movement, and is idempotent', () => {
    const unit = fc.constantFrom(
      '\u001B',
      '[',
      ']',
      'P',
      '\\',
      '0',
      ';',
      'm',
      '\u0007',
      '\u009B',
      '\u009C',
      '\u0090',
      '\r',
      '\n',
      '\t',
      'a',
      '%',
      '\uD800',
    );
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: anyCharacter })), (text) => {
        const cleaned = cleanText(text);
        expect(cleaned).not.toMatch(/[\0-\x08\x0B-\x1F\x7F-\x9F]|\p{Cs}/u);
        expect(cleanText(cleaned)).toBe(cleaned);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('[TURN14] text without control characters is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(cleanText(text)).toBe(text);
      }),
      { numRuns: scaled(200) },
    );
  });

  it.each(['\u001B[', '\u001B]', '\u001BP', '\u0090', '\u009D', '\u001B', '\r', 'a\r'])(
    '[TURN14] a megabyte of %j leaves no control character',
    (unit) => {
      expect(cleanText(unit.repeat(1_000_000 / unit.length))).toMatch(/^[a\n[\]P]*$/);
    },
  );
});

describe('decodeUtf8', () => {
  it('[TURN14] replaces malformed UTF-8', () => {
    expect(decodeUtf8(new Uint8Array([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82]))).toBe('a\uFFFD\uFFFD(\uFFFD');
    expect(decodeUtf8(new TextEncoder().encode('é漢\u{1F600}'))).toBe('é漢\u{1F600}');
  });

  it('[TURN14] converts any bytes to well-formed text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeUtf8(bytes)).not.toMatch(/\p{Cs}/u);
      }),
      { numRuns: scaled(200) },
    );
  });
});
