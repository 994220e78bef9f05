import type { Cost } from '@countersign/protocol';

/** Tokens and money of several turns. Without a price, the money is absent. */
export type Used = Pick<Cost, 'inputTokens' | 'outputTokens'> & Partial<Pick<Cost, 'microdollars' | 'unpricedTokens'>>;

/** `$0.0012`, `$1.23`: two digits that count, at most four after the point. */
export function moneyText(microdollars: number): string {
  const dollars = microdollars / 1_000_000;
  if (dollars >= 0.1 || dollars === 0) return `$${dollars.toFixed(2)}`;
  return dollars < 0.0001 ? '< $0.0001' : `$${dollars.toFixed(dollars < 0.01 ? 4 : 3)}`;
}

/** What the tokens cost, as far as prices are known. Empty if none is. */
export function costText({ inputTokens, outputTokens, microdollars, unpricedTokens = 0 }: Used): string {
  if (microdollars === undefined || (unpricedTokens > 0 && unpricedTokens === inputTokens + outputTokens)) return '';
  const money = moneyText(microdollars);
  return unpricedTokens === 0 ? money : `${money}, and ${unpricedTokens.toLocaleString('en')} tokens of unknown price`;
}

/** The sum of costs for each key, in the order of their first appearance. */
export function sumCosts(
  costs: readonly Cost[],
  keyOf: (cost: Cost) => string,
): Map<string, Omit<Cost, 'day' | 'agentId'>> {
  const sums = new Map<string, Omit<Cost, 'day' | 'agentId'>>();
  for (const cost of costs) {
    const sum = sums.get(keyOf(cost)) ?? { inputTokens: 0, outputTokens: 0, microdollars: 0, unpricedTokens: 0 };
    sums.set(keyOf(cost), {
      inputTokens: sum.inputTokens + cost.inputTokens,
      outputTokens: sum.outputTokens + cost.outputTokens,
      microdollars: sum.microdollars + cost.microdollars,
      unpricedTokens: sum.unpricedTokens + cost.unpricedTokens,
    });
  }
  return sums;
}
