import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hideValues } from './hide-values.js';

const SECRET = 'hunter2-of-the-harbour-9x8Y7z';

it('[SAFE6] masks secrets in text in every spelling, the longest first', () => {
  const { inText } = hideValues({ API_KEY: 'abc', TOKEN: 'abc"def/ghi', Authorization: 'Bearer tok-123' });
  expect(inText('key abc, long abc"def/ghi')).toBe('key [API_KEY], long [TOKEN]');
  expect(inText(JSON.stringify({ value: 'abc"def/ghi' }))).toBe('{"value":"[TOKEN]"}');
  expect(inText(`?q=${encodeURIComponent('abc"def/ghi')}`)).toBe('?q=[TOKEN]');
  expect(inText('Authorization: Bearer tok-123; tok-123')).toBe('Authorization: [Authorization]; [Authorization]');
});

it('does not change values that are not secrets', () => {
  const { inText } = hideValues({ DEBUG: '1', NODE_ENV: 'production', TOKEN: '1' });
  expect(inText('1 production build')).toBe('1 production build');
});

it('[TURN14.1] does not mask data that merely equals a placeholder key or an ordinary setting', () => {
  const { inData } = hideValues({ OPENAI_API_KEY: 'ollama', NODE_ENV: 'production' });
  const data = { scripts: { ollama: 'ollama serve' }, env: ['production'] };
  expect(inData(data)).toEqual(data);
});

it('[SAFE6] removes every secret from a value, including its keys', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string().map((part) => `${part}${SECRET}${part}`),
    fc.constant(SECRET),
  );
  fc.assert(
    fc.property(fc.object({ key: text, values: [text, fc.integer(), fc.constant(null)] }), (value) => {
      expect(JSON.stringify(hideValues({ TOKEN: SECRET }).inData(value))).not.toContain(SECRET);
    }),
  );
});
