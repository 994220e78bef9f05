import type { Stats } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { approvalSeries, signerSeries, tokenSeries, toolSeries, waitingSeries } from './series.js';

const none = { count: 0, median: 0, p95: 0 };
const stats: Stats = {
  chats: 1,
  messages: 2,
  turns: {},
  tokens: [{ agentId: 'a', inputTokens: 10, outputTokens: 4 }],
  tools: [
    { tool: 'x', succeeded: 3, failed: 1, denied: 2, running: { count: 4, median: 1234, p95: 5000 } },
    { tool: 'y', succeeded: 0, failed: 0, denied: 1, running: none },
  ],
  approvals: [
    { tool: 'x', decision: 'approved', scope: 'once', count: 2 },
    { tool: 'x', decision: 'approved', scope: 'always', count: 1 },
    { tool: 'x', decision: 'denied', count: 2 },
    { tool: 'y', decision: 'expired', count: 1 },
  ],
  signers: [
    { who: { kind: 'person', id: 'ada', name: 'Ada' }, approved: 3, denied: 1 },
    { who: { kind: 'agent', id: 'reviewer', name: 'Reviewer' }, approved: 0, denied: 1 },
  ],
  waiting: { count: 5, median: 2000, p95: 9000 },
  pendingApprovals: 0,
};

it('counts every decision once', () => {
  expect(approvalSeries(stats)).toMatchObject({
    labels: ['x', 'y'],
    series: [{ values: [3, 0] }, { values: [2, 0] }, { values: [0, 1] }],
  });
  expect(toolSeries(stats).series.map(({ values }) => values)).toEqual([
    [3, 0],
    [1, 0],
    [2, 1],
  ]);
});

it('shows who signed, and marks agents', () => {
  expect(signerSeries(stats)).toMatchObject({
    labels: ['Ada', 'Reviewer (agent)'],
    series: [{ values: [3, 0] }, { values: [1, 1] }],
  });
});

it('shows tokens by name and times in seconds, without tools that never ran', () => {
  expect(tokenSeries(stats, (id) => id.toUpperCase())).toMatchObject({
    labels: ['A'],
    series: [{ values: [10] }, { values: [4] }],
  });
  expect(waitingSeries(stats)).toMatchObject({
    labels: ['waiting', 'x'],
    series: [{ values: [2, 1.23] }, { values: [9, 5] }],
  });
  expect(waitingSeries({ ...stats, waiting: none }).labels).toEqual(['x']);
});
