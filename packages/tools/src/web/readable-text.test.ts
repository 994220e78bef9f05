import { expect, it } from 'vitest';
import { readableText } from './readable-text.js';

const url = new URL('https://example.com/');

it('[TURN13] a page is returned as text with its title and links', async () => {
  const page = await readableText('<title>Tides</title><p>High <a href="/at">at noon</a>.<script>x</script></p>', url);
  expect(page).toEqual({ title: 'Tides', text: 'High at noon [https://example.com/at].' });
});

it('[TURN13] a page that takes too long to convert fails without blocking others', async () => {
  const html = '<div>'.repeat(170_000);
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 5);
  await expect(readableText(html, url, 500)).rejects.toThrow('too complex');
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(5);
});
