import { expect, it } from 'vitest';
import { readResponse } from './read-response.js';

it('[S7] counts no number of tokens whose sum could not be stored', () => {
  const used = (tokens: unknown) => {
    const answer = { type: 'text', content: '', usage: { inputTokens: tokens, outputTokens: 3 } };
    return readResponse(answer).usage;
  };
  expect(used(1_000_000)).toEqual({ inputTokens: 1_000_000, outputTokens: 3 });
  for (const tokens of [Number.MAX_SAFE_INTEGER, 1e10, Infinity, Number.NaN, -1, '7', undefined]) {
    expect(used(tokens)).toEqual({ inputTokens: 0, outputTokens: 3 });
  }
});

it('[S7] takes a copy of what a provider wants back, which changes no more', () => {
  let asked = 0;
  const state = { list: ['kept'], odd: { toJSON: () => ((asked += 1) === 1 ? 'once' : undefined) } };
  const answer = { type: 'text', content: '', providerState: state };
  const { providerState } = readResponse(answer);
  state.list.push('later');
  expect(providerState).toEqual({ list: ['kept'], odd: 'once' });
});
