import { nameOf } from '@countersign/client';
import type { Stats } from '@countersign/protocol';
import { statsWords } from '../words/stats.js';

/** Grouped bars: one group per label, one bar per series. */
export interface Bars {
  labels: string[];
  series: { label: string; colour: 'blue' | 'green' | 'red' | 'amber' | 'ink'; values: number[] }[];
}

export function approvalSeries({ approvals }: Stats): Bars {
  const labels = [...new Set(approvals.map(({ tool }) => tool))];
  const counts = (isCounted: (decision: Stats['approvals'][number]['decision']) => boolean): number[] =>
    labels.map((tool) =>
      approvals
        .filter((each) => each.tool === tool && isCounted(each.decision))
        .reduce((sum, { count }) => sum + count, 0),
    );
  return {
    labels,
    series: [
      { label: statsWords.series.approved, colour: 'green', values: counts((decision) => decision === 'approved') },
      { label: statsWords.series.denied, colour: 'red', values: counts((decision) => decision === 'denied') },
      {
        label: statsWords.series.other,
        colour: 'amber',
        values: counts((decision) => decision !== 'approved' && decision !== 'denied'),
      },
    ],
  };
}

export function signerSeries({ signers }: Stats): Bars {
  return {
    labels: signers.map(({ who }) => nameOf(who)),
    series: [
      { label: statsWords.series.approved, colour: 'green', values: signers.map(({ approved }) => approved) },
      { label: statsWords.series.denied, colour: 'red', values: signers.map(({ denied }) => denied) },
    ],
  };
}

export function toolSeries({ tools }: Stats): Bars {
  return {
    labels: tools.map(({ tool }) => tool),
    series: [
      { label: statsWords.series.succeeded, colour: 'green', values: tools.map(({ succeeded }) => succeeded) },
      { label: statsWords.series.failed, colour: 'red', values: tools.map(({ failed }) => failed) },
      { label: statsWords.series.denied, colour: 'amber', values: tools.map(({ denied }) => denied) },
    ],
  };
}

export function tokenSeries({ tokens }: Stats, nameOf: (agentId: string) => string): Bars {
  return {
    labels: tokens.map(({ agentId }) => nameOf(agentId)),
    series: [
      { label: statsWords.series.input, colour: 'blue', values: tokens.map(({ inputTokens }) => inputTokens) },
      { label: statsWords.series.output, colour: 'ink', values: tokens.map(({ outputTokens }) => outputTokens) },
    ],
  };
}

export function waitingSeries({ waiting, tools }: Stats): Bars {
  const ran = tools.filter(({ running }) => running.count > 0);
  const seconds = (ms: number): number => Math.round(ms / 10) / 100;
  return {
    labels: [...(waiting.count === 0 ? [] : [statsWords.series.waiting]), ...ran.map(({ tool }) => tool)],
    series: [
      {
        label: statsWords.series.median,
        colour: 'blue',
        values: [
          ...(waiting.count === 0 ? [] : [seconds(waiting.median)]),
          ...ran.map(({ running }) => seconds(running.median)),
        ],
      },
      {
        label: statsWords.series.p95,
        colour: 'amber',
        values: [
          ...(waiting.count === 0 ? [] : [seconds(waiting.p95)]),
          ...ran.map(({ running }) => seconds(running.p95)),
        ],
      },
    ],
  };
}
