import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { sampled } from '../../../../../tests/support/scaled.js';
import { callLimit } from '../scan/characters.js';
import { maskCallText } from './mask-call.js';
import { maskLongText } from './mask-long-text.js';

const { privateKey: pem } = generateKeyPairSync('rsa', {
  modulusLength: 4096,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
/** As long as one of 16,384 bits, which takes too long to generate. */
const longest = pem.replace(/(?<=-\n)[^]+(?=\n-)/, randomBytes(9_500).toString('base64').replace(/.{64}/g, '$&\n'));
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
