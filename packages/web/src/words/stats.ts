import { common } from './common.js';

/** Statistics. */
export const t = {
  ...common,
  title: 'Statistics',
  theStats: 'the statistics',
  empty: 'No tool calls yet.',
  emptyHint: 'Charts of approvals, durations and failures appear here once agents have called tools.',
  noData: 'No data yet.',
  approvals: 'Approvals by tool and decision',
  calls: 'Calls by tool and outcome',
  tokens: 'Tokens by agent',
  durations: 'Approval wait and run time (seconds)',
  messages: 'Messages',
  chats: 'Chats',
  pending: 'Waiting now',
  wait: 'Median approval wait',
  waitP95: (p95: string) => `Median approval wait, p95 ${p95}`,
  run: 'Calls run',
  failureRate: 'Failure rate',
  series: {
    approved: 'approved',
    denied: 'denied',
    other: 'other',
    succeeded: 'succeeded',
    failed: 'failed',
    input: 'in',
    output: 'out',
    waiting: 'waiting',
    median: 'median',
    p95: 'p95',
  },
} as const;
