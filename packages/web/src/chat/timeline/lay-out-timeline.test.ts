import { describe, expect, it } from 'vitest';
import { layOut } from './lay-out-timeline.js';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
const who = { kind: 'person', id: 'p1', name: 'Ada Lovelace' } as const;
const turn = { turnId: 't', agentId: 'a', startedAt: at(0), inputTokens: 0, outputTokens: 0 };

describe('the timeline of a turn', () => {
  it('positions each span', () => {
    const { bars, total } = layOut(
      {
        ...turn,
        endedAt: at(10),
        spans: [
          { kind: 'model', label: 'm', startedAt: at(0), endedAt: at(2) },
          { kind: 'waiting', label: 'w', startedAt: at(2), endedAt: at(10), outcome: 'approved', who },
        ],
      },
      99_000,
    );
    expect(total).toBe(10_000);
    expect(bars[1]?.outcome).toBe('approved by Ada Lovelace');
    expect(bars.map(({ left, width }) => [left, width])).toEqual([
      [0, 20],
      [20, 80],
    ]);
  });

  it('draws a running span up to now, and never with negative width', () => {
    const spans = [{ kind: 'tool' as const, label: 't', startedAt: at(5) }];
    expect(layOut({ ...turn, spans }, 10_000).bars[0]).toMatchObject({ left: 50, width: 50 });
    expect(layOut({ ...turn, spans }, 1000).bars[0]?.width).toBe(0);
  });
});
