import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOwnSecretStream } from './own-secret-stream.js';

const KEY = 'qX7vB2nM9kLp4Rt6Wz';
const LONGER = `${KEY}-and-more`;

function streamed(chunks: readonly string[]): string {
  const stream = createOwnSecretStream([KEY, LONGER, '']);
  return chunks.map((chunk) => stream.push(chunk)).join('') + stream.end();
}

it('[TURN13.1] [MODEL8] masks our own credentials, however the output is split', () => {
  const text = `a ${KEY} b ${LONGER} ${KEY}${KEY} qX7vB2 end qX7`;
  const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 30 });
  fc.assert(
    fc.property(cuts, (lengths) => {
      let from = 0;
      const chunks = lengths.map((length) => text.slice(from, (from += length)));
      const shown = streamed([...chunks, text.slice(from)]);
      expect(shown).not.toContain(KEY);
      // At most three characters of it are sent before it is recognized.
      expect(shown).toMatch(/^a (?:q|qX|qX7)?‹masked› b (?:q|qX|qX7)?‹masked›/);
      expect(shown.endsWith(' qX7vB2 end qX7')).toBe(true);
    }),
  );
});

it('[TURN13] holds back nothing that can’t become a credential', () => {
  const stream = createOwnSecretStream([KEY]);
  expect(stream.push('progress 50 %\n')).toBe('progress 50 %\n');
  // An ordinary word may end like that.
  expect(stream.push('qX7')).toBe('qX7');
  expect(stream.push('!')).toBe('!');
  expect(stream.push('qX7vB')).toBe('');
  expect(stream.push('!')).toBe('qX7vB!');
  for (const character of KEY.slice(0, 6)) stream.push(character);
  expect(stream.end()).toBe('vB2');
  expect(createOwnSecretStream([]).push('text')).toBe('text');
});
