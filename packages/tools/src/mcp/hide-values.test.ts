import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hideIn, hideValues } from './hide-values.js';

it('[A15] hides values however they are written, the longest first', () => {
  const hide = hideValues({ API_KEY: 'abc', LONG: 'abc"def/ghi', Authorization: 'Bearer tok-123' });
  expect(hide('key abc, long abc"def/ghi')).toBe('key [API_KEY], long [LONG]');
  expect(hide(JSON.stringify({ value: 'abc"def/ghi' }))).toBe('{"value":"[LONG]"}');
  expect(hide(`?q=${encodeURIComponent('abc"def/ghi')}`)).toBe('?q=[LONG]');
  expect(hide('Authorization: Bearer tok-123; tok-123')).toBe('Authorization: [Authorization]; [Authorization]');
});

it('leaves alone what stands for too much else', () => {
  expect(hideValues({ DEBUG: '1', MODE: 'fast' })('1 fast car')).toBe('1 fast car');
});

it('[A15] no value is left anywhere in a value, keys included', () => {
  const secret = 'hunter2-of-the-harbour';
  const text = fc.oneof(
    fc.string(),
    fc.string().map((part) => `${part}${secret}${part}`),
    fc.constant(secret),
  );
  fc.assert(
    fc.property(fc.object({ key: text, values: [text, fc.integer(), fc.constant(null)] }), (value) => {
      expect(JSON.stringify(hideIn(value, hideValues({ TOKEN: secret })))).not.toContain(secret);
    }),
  );
});
