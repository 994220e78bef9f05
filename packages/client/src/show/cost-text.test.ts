import { expect, it } from 'vitest';
import { costText, moneyText, sumCosts } from './cost-text.js';

const cost = (agentId: string, inputTokens: number, microdollars: number, unpricedTokens = 0) => ({
  ...{ day: '2027-01-31', agentId, inputTokens, outputTokens: 0 },
  ...{ microdollars, unpricedTokens },
});

it('[MODEL3.1] shows money with the digits that count', () => {
  const shown = [0, 12, 1_234, 23_456, 123_456, 12_345_678].map(moneyText);
  expect(shown).toEqual(['$0.00', '< $0.0001', '$0.0012', '$0.023', '$0.12', '$12.35']);
});

it('[MODEL3.1] never shows a cost for tokens without a price', () => {
  const sums = sumCosts([cost('ada', 10, 2_000), cost('ada', 5, 0, 5), cost('bob', 7, 0, 7)], ({ agentId }) => agentId);
  expect([...sums].map(([id, sum]) => [id, sum.inputTokens, costText(sum)])).toEqual([
    ['ada', 15, '$0.0020, and 5 tokens of unknown price'],
    ['bob', 7, ''],
  ]);
  expect(costText({ inputTokens: 5, outputTokens: 1 })).toBe('');
});
