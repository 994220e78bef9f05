import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { sampled } from '../../../../../tests/support/scaled.js';
import { callLimit } from '../scan/characters.js';
import { maskCallText } from './mask-call.js';
import { maskLongText } from './mask-long-text.js';

/** In the form of a private key. Generating a real one of 4,096 bits takes longer than the rest of these tests. */
const keyOf = (bytes: number): string =>
  `-----BEGIN PRIVATE KEY-----\n${randomBytes(bytes).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
/** As long as keys of 4,096 and 16,384 bits. */
const [pem, longest] = [keyOf(2_374), keyOf(9_500)];
/** Where the secret is cut, in twentieths of its length. */
const PARTS = Array.from({ length: 20 }, (_, at) => at + 1);
const diff = (text: string): string => text.replace(/^(?=.)/gm, '+');
const lines = (length: number): string => '+a line without any secret\n'.repeat(length / 27 + 1).slice(-length);
const words = (length: number): string => '"name","number",'.repeat(length / 16 + 1).slice(-length);

it.each(['fn', 'LET', 'DEF', 'sh'])('[SAFE6] masks a private key in which a line has the word %s', (word) => {
  const line = `YEqPMeGhDO556pWG+SbhJsDEiiw4i6LLQJFS+${word}+KCNJMjPjvfE0ApRo+`;
  for (const last of [line, `${line}${word}`, `${word}+${line}`]) {
    const key = `-----BEGIN PRIVATE KEY-----\n${`${line}\n`.repeat(30)}${last}\n-----END PRIVATE KEY-----\n`;
    for (const text of [key, diff(key)]) expect(maskCallText(text)).not.toMatch(/DEiiw4i6LLQ/);
  }
});

it.each([
  ['a private key', lines, diff(pem)],
  ['the longest private key', lines, diff(longest)],
  ['a private key in JSON', words, `{"private_key":${JSON.stringify(pem)}}`],
  ['a token', words, '{"token":"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}'],
])('[SAFE6.4] masks %s at the end of a part of a long text', (_, filler, secret) => {
  const masked = maskCallText(secret);
  expect(masked).not.toBe(secret);
  for (const part of sampled(PARTS, 2)) {
    const before = callLimit - Math.ceil((secret.length * part) / 20);
    const text = filler(before) + secret + filler(callLimit);
    expect({ part, text: [...maskLongText(text)].join('') }).toEqual({
      part,
      text: text.replace(secret, () => masked),
    });
  }
});
