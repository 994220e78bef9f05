import { describe, expect, it } from 'vitest';
import { createChunkMasker } from './create-chunk-masker.js';
import { createMemo } from './create-memo.js';
import { findEncoded } from './scan/find-encoded.js';
import { maskSecrets } from './mask-secrets.js';
import { maskText } from './mask-text.js';
import { maskValue } from './mask-value.js';
import { refusePlaceholder } from './refuse-placeholder.js';

const MEGABYTES = 5_000_000;
const LIMIT = 68 * 1024;
const SECRET = 'password=hunter2';

describe('text past the scan limit', () => {
  const long = `${SECRET} ${'a '.repeat(MEGABYTES / 2)}${SECRET}`;

  it.each([
    ['maskText', (text: string) => maskText(text).value],
    ['maskSecrets', maskSecrets],
    ['maskValue', (text: string) => JSON.stringify(maskValue({ a: text }).value)],
    ['a chunk of a stream', (text: string) => createChunkMasker().push(text)],
  ])('[SAFE6] is withheld without being scanned: %s', (_what, mask) => {
    const shown = mask(long);
    expect(shown.length).toBeLessThan(LIMIT + 200);
    expect(shown).toContain('password=‹masked 1: 7 characters›');
    expect(shown).toMatch(/‹49\d{5} characters not shown›/);
    expect(shown).not.toContain('hunter2');
  });

  it('[SAFE6] no part of a secret is shown where the text is truncated', () => {
    const secret = ['ghp_', '0123456789abcdefghijABCDEFGHIJ012345'].join('');
    for (let before = LIMIT - 45; before <= LIMIT; before += 9) {
      const text = `${'a '.repeat(before / 2)}${before % 2 === 0 ? '' : ' '}${secret} end`;
      expect(maskSecrets(text)).not.toContain(secret.slice(4, 12));
    }
  });

  it('[SAFE6] the values of one object share the limit', () => {
    const value = maskValue({ a: 'x'.repeat(LIMIT), b: SECRET, c: 'short' }).value;
    expect(value).toEqual({ a: 'x'.repeat(LIMIT), b: '‹16 characters not shown›', c: '‹5 characters not shown›' });
  });
});

describe('the cost of scanning', () => {
  it.each([
    ['pluses', 'a+'],
    ['encoded pluses', '%2B'],
    ['double-encoded pluses', '%252B'],
    ['both', 'a%20b+'],
  ])('[SAFE6] a word of %s is scanned at most two more times', (_what, unit) => {
    let read = 0;
    const word = unit.repeat(5000);
    findEncoded(word, (text) => {
      read += text.length;
      return [];
    });
    expect(read).toBeLessThanOrEqual(2 * word.length);
  });

  it('[TURN11] a run of backslashes is scanned once: scanning from each backslash would take hours for 4 MB', () => {
    expect(refusePlaceholder('\\'.repeat(4_000_000))).toBeUndefined();
    expect(refusePlaceholder(`${'\\'.repeat(1_000_001)}u2039masked 1\u203A`)).toBeDefined();
  });

  it('[SAFE6] a call is masked only once', () => {
    const made: string[] = [];
    const memo = createMemo(10, (text) => made.push(text));
    for (const text of ['aaaa', 'aaaa', 'bbbb', 'aaaa', 'cccc', 'aaaa', 'longer than ten', 'longer than ten'])
      memo(text);
    expect(made).toEqual(['aaaa', 'bbbb', 'cccc', 'aaaa', 'longer than ten', 'longer than ten']);
  });
});
