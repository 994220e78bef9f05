import { describe, expect, it } from 'vitest';
import type { WorldCounts } from '../ports/index.js';
import { createFakeClock } from '../testing/index.js';
import type { Runtime } from '../step/runtime.js';
import { toStats, worldStats } from './world-stats.js';

const none: WorldCounts = { chats: 0, messages: 0, turns: [], calls: [], approvals: [] };

const decided = { tool: 'a', by: null, signing: null };
const who = (id: string, name = id) => ({ kind: 'person', id, name }) as const;

describe('stats', () => {
  it('[HTTP2] return the median and p95 of durations', () => {
    const calls = [
      { tool: 'a', status: 'succeeded', ms: 10, count: 50 },
      { tool: 'a', status: 'failed', ms: 1_000, count: 45 },
      { tool: 'a', status: 'succeeded', ms: 20_000, count: 5 },
      { tool: 'a', status: 'denied', ms: null, count: 7 },
    ];
    expect(toStats({ ...none, calls }).tools).toEqual([
      { tool: 'a', succeeded: 55, failed: 45, denied: 7, running: { count: 100, median: 10, p95: 1_000 } },
    ]);
  });

  it('[HTTP2] distinguish unanswered approvals from decided ones', () => {
    const approvals: WorldCounts['approvals'] = [
      { ...decided, status: 'approved', scope: 'once', ms: 100, count: 2 },
      { ...decided, status: 'approved', scope: 'once', ms: 900, count: 1 },
      { ...decided, status: 'expired', scope: 'once', ms: 30_000, count: 4 },
      { ...decided, status: 'pending', scope: null, ms: null, count: 3 },
    ];
    const stats = toStats({ ...none, approvals });
    expect(stats).toMatchObject({ waiting: { count: 3, median: 100, p95: 900 }, pendingApprovals: 3 });
    expect(stats.approvals).toEqual([
      { tool: 'a', decision: 'approved', scope: 'once', count: 3 },
      { tool: 'a', decision: 'expired', scope: 'once', count: 4 },
      { tool: 'a', decision: 'pending', count: 3 },
    ]);
  });

  it('[HTTP2] [SIGN1.10] count the decisions of each signer, whichever name they had', () => {
    const signed = [who('ada', 'Ada'), who('bob')].map((each) => ({ who: each, via: 'test', at: 0 }));
    const once = { ...decided, scope: 'once', ms: 5 };
    const token = { kind: 'token', id: 'deploy', name: 'deploy' } as const;
    const system = JSON.stringify({ kind: 'system', id: 'system', name: 'system' });
    const approvals: WorldCounts['approvals'] = [
      { ...once, by: JSON.stringify(who('bob')), status: 'approved', signing: { rules: [], signed }, count: 1 },
      { ...once, by: JSON.stringify(who('bob')), status: 'denied', ms: 70, count: 2 },
      { ...once, by: JSON.stringify(who('ada', 'Ada L.')), status: 'approved', count: 4 },
      { ...once, by: JSON.stringify(token), status: 'approved', count: 1 },
      { ...once, by: system, status: 'approved', count: 9 },
      { ...once, by: JSON.stringify(who('bob')), status: 'expired', count: 3 },
    ];
    const stats = (person?: string) => toStats({ ...none, approvals }, person);
    // [HTTP2] For one person: only what they decided, or signed together with others.
    expect(stats('ada')).toMatchObject({
      approvals: [{ tool: 'a', decision: 'approved', scope: 'once', count: 5 }],
      waiting: { count: 5, median: 5 },
    });
    expect(stats('bob')).toMatchObject({
      approvals: [
        { decision: 'approved', count: 1 },
        { decision: 'denied', count: 2 },
      ],
      waiting: { count: 3, median: 70 },
    });
    expect(stats('nobody')).toMatchObject({ approvals: [], waiting: { count: 0 }, signers: stats().signers });
    expect(stats().signers).toEqual([
      { who: who('ada', 'Ada L.'), approved: 5, denied: 0 },
      { who: who('bob'), approved: 1, denied: 2 },
      { who: token, approved: 1, denied: 0 },
    ]);
  });

  it('[STORE2] of a large world are cached', async () => {
    const clock = createFakeClock();
    let reads = 0;
    const counts = (count: number): WorldCounts => ({
      ...none,
      turns: [{ agentId: 'a', outcome: 'answered', count, inputTokens: 0, outputTokens: 0 }],
    });
    let size = 100_000;
    // Only the parts of a runtime that the stats need.
    const runtime = {
      clock,
      caches: { snapshots: { read: async () => ({}) } },
      store: {
        read: async (work: (reader: unknown) => Promise<unknown>) =>
          await work({ stats: async () => ((reads += 1), counts(size)) }),
      },
    } as unknown as Runtime;
    await Promise.all(Array.from({ length: 50 }, () => worldStats(runtime, 'w')));
    expect(reads).toBe(1);
    clock.advance(20_000);
    await worldStats(runtime, 'w');
    expect(reads).toBe(2);
    clock.advance(20_000);
    size = 10;
    expect((await worldStats(runtime, 'w')).turns).toEqual({ answered: 10 });
    size = 11;
    expect((await worldStats(runtime, 'w')).turns).toEqual({ answered: 11 });
  });
});
