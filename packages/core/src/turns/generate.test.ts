import { expect, it } from 'vitest';
import { readResponse } from './generate.js';

it('[STORE7] ignores token counts whose sum could not be stored', () => {
  const used = (tokens: unknown) => {
    const answer = { type: 'text', content: '', usage: { inputTokens: tokens, outputTokens: 3 } };
    return readResponse(answer).usage;
  };
  expect(used(1_000_000)).toEqual({ inputTokens: 1_000_000, outputTokens: 3 });
  for (const tokens of [Number.MAX_SAFE_INTEGER, 1e10, Infinity, Number.NaN, -1, '7', undefined]) {
    expect(used(tokens)).toEqual({ inputTokens: 0, outputTokens: 3 });
  }
});

it('[MODEL3.1] rounds the cost up, and has none without a usable price', () => {
  const usage = { inputTokens: 10, outputTokens: 3 };
  const cost = (price?: { input: number; output: number }) =>
    readResponse({ type: 'text', content: '', usage }, price).usage.microdollars;
  expect(cost({ input: 0.05, output: 2.5 })).toBe(8);
  expect(cost({ input: 0, output: 0 })).toBe(0);
  for (const input of [Number.NaN, -1, Infinity, 1e300]) expect(cost({ input, output: 0 })).toBeUndefined();
  expect(cost()).toBeUndefined();
});

it('[STORE7] copies the provider state, so that later changes have no effect', () => {
  let asked = 0;
  const state = { list: ['kept'], odd: { toJSON: () => ((asked += 1) === 1 ? 'once' : undefined) } };
  const answer = { type: 'text', content: '', providerState: state };
  const { providerState } = readResponse(answer);
  state.list.push('later');
  expect(providerState).toEqual({ list: ['kept'], odd: 'once' });
});
