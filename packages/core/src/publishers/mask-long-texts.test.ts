import { setImmediate } from 'node:timers';
import { expect, it } from 'vitest';
import { maskLongTexts } from './mask-long-texts.js';

it('yields to the event loop before a long text is used, even if it was already masked', async () => {
  const text = 'word '.repeat(20_000);
  await maskLongTexts([text]);
  let ran = false;
  setImmediate(() => {
    ran = true;
  });
  await maskLongTexts(['short']);
  expect(ran).toBe(false);
  await maskLongTexts([text]);
  expect(ran).toBe(true);
});
