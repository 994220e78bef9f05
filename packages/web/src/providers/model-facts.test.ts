import { expect, it } from 'vitest';
import { factsOf } from './model-facts.js';

it('[MODEL9.2] shows context size and price where the list has them', () => {
  expect(factsOf({ id: 'm' })).toBe('');
  expect(factsOf({ id: 'm', contextTokens: 131072 })).toBe('131,072 tokens');
  expect(factsOf({ id: 'm', contextTokens: 8192, inputPrice: 2.5, outputPrice: 10 })).toBe(
    '8,192 tokens · $2.50 in, $10 out per million tokens',
  );
  expect(factsOf({ id: 'm', inputPrice: 0.075 })).toBe('$0.075 in, $? out per million tokens');
});
