import { byText } from '@countersign/client';
import type { Timeline } from '@countersign/protocol';

export interface Bar {
  kind: Timeline['spans'][number]['kind'];
  label: string;
  outcome?: string;
  /** In percent of the total width. */
  left: number;
  width: number;
  ms: number;
}

/** Positions the spans of a turn on a timeline. Running spans end at the current time. */
export function layOut(turn: Timeline, now: number, me?: string): { bars: Bar[]; total: number } {
  const start = Date.parse(turn.startedAt);
  const ends = turn.spans.map((span) => endOf(span, now));
  const end = Math.max(start + 1, turn.endedAt === undefined ? now : Date.parse(turn.endedAt), ...ends);
  const total = end - start;
  const bars = turn.spans.map((span): Bar => {
    const from = Math.max(start, Date.parse(span.startedAt));
    const to = Math.max(from, endOf(span, now));
    return {
      kind: span.kind,
      label: span.label,
      ...(span.outcome === undefined
        ? {}
        : { outcome: `${span.outcome}${byText({ by: span.who, signers: span.signers }, me)}` }),
      left: ((from - start) / total) * 100,
      width: ((to - from) / total) * 100,
      ms: to - from,
    };
  });
  return { bars, total };
}

function endOf(span: Timeline['spans'][number], now: number): number {
  return span.endedAt === undefined ? now : Date.parse(span.endedAt);
}
