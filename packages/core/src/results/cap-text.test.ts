import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { capText } from './cap-text.js';
import { utf8Length } from './utf8-length.js';

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

describe('capText', () => {
  it('[TURN13] text within the limit is unchanged', () => {
    expect(capText('a'.repeat(64 * 1024))).toBe('a'.repeat(64 * 1024));
    expect(capText('é', 2)).toBe('é');
  });

  it('[TURN13] keeps the start and the end, and marks the gap', () => {
    const capped = capText(`HEAD${'x'.repeat(100_000)}TAIL`);
    expect(capped).toMatch(/^HEADx+\n\[\d+ bytes were left out here\.\]\nx+TAIL$/);
    expect(capped.length).toBeLessThanOrEqual(64 * 1024);
    expect(capped.length).toBeGreaterThan(64 * 1024 - 8);
  });

  it('[TURN13] reports the number of omitted bytes', () => {
    const text = 'é漢\u{1F600}a'.repeat(500);
    const capped = capText(text, 300);
    const [, head = '', count = '', tail = ''] =
      /^(.*)\n\[(\d+) bytes were left out here\.\]\n(.*)$/s.exec(capped) ?? [];
    expect(text.startsWith(head)).toBe(true);
    expect(text.endsWith(tail)).toBe(true);
    expect(bytesOf(head) + Number(count) + bytesOf(tail)).toBe(bytesOf(text));
  });

  it('[TURN13] never exceeds the limit and never splits a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 300 }),
        fc.integer({ min: -1, max: 400 }),
        (text, limit) => {
          const capped = capText(text, limit);
          expect(bytesOf(capped)).toBeLessThanOrEqual(Math.max(0, limit));
          expect(capped).not.toMatch(/\p{Cs}/u);
          expect(capped === text).toBe(bytesOf(text) <= Math.max(0, limit));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('[TURN13] counts UTF-8 bytes, even for malformed text', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), units), (text) => {
        expect(utf8Length(text)).toBe(bytesOf(text));
      }),
      { numRuns: 500 },
    );
  });
});
