import { expect, it } from 'vitest';
import { bytesText, countText } from './time-text.js';

it('shortens counts', () => {
  expect([950, 1234, 12_345, 3_400_000].map(countText)).toEqual(['950', '1.2k', '12k', '3.4M']);
  expect([12, 2048, 10_485_760].map(bytesText)).toEqual(['12 B', '2 kB', '10.0 MB']);
});
