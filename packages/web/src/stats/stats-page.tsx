import { agentName, durationText, nameOf } from '@countersign/client';
import type { Stats } from '@countersign/protocol';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Card, Empty } from '../ui/card.js';
import { Select } from '../form/field.js';
import { countText } from '../text/time-text.js';
import { BarPlot } from './bar-plot.js';
import { Costs } from './costs.js';
import { Numbers } from './numbers.js';
import { Questions } from './questions.js';
import { approvalSeries, signerSeries, tokenSeries, toolSeries, waitingSeries } from './series.js';
import { statsWords } from '../words/stats.js';

/** This world's statistics, over all stored data. */
export default function StatsPage(): ReactElement {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const agents = useWorld((state) => state.agents);
  const [person, setPerson] = useState('');
  const stats = useRead({
    key: ['stats', worldId, person],
    read: (signal) => client.stats(worldId, { signal, ...(person === '' ? {} : { person }) }),
    everyMs: 15_000,
  });
  if (stats.kind !== 'ready') return <NotRead read={stats} what={statsWords.theStats} title={statsWords.title} />;
  return (
    <Page title={statsWords.title} wide isScrolledByKeys>
      <Numbers numbers={numbersOf(stats.data)} />
      {stats.data.tools.length === 0 && stats.data.approvals.length === 0 ? (
        <Empty title={statsWords.empty}>{statsWords.emptyHint}</Empty>
      ) : (
        <div className="grid gap-4 lg:grid-cols-2">
          <Panel title={statsWords.approvals}>
            <PersonFilter stats={stats.data} person={person} onChange={setPerson} />
            <BarPlot {...approvalSeries(stats.data)} />
          </Panel>
          <Panel title={statsWords.signers}>
            <BarPlot {...signerSeries(stats.data)} />
          </Panel>
          <Panel title={statsWords.calls}>
            <BarPlot {...toolSeries(stats.data)} />
          </Panel>
          <Panel title={statsWords.tokens}>
            <BarPlot {...tokenSeries(stats.data, (id) => agentName({ agents }, id))} />
          </Panel>
          <Panel title={statsWords.durations}>
            <BarPlot {...waitingSeries(stats.data)} />
          </Panel>
          <div className="lg:col-span-2">
            <Questions person={person} />
          </div>
        </div>
      )}
      <Costs />
    </Page>
  );
}

function PersonFilter({
  stats: { signers },
  person,
  onChange,
}: {
  stats: Stats;
  person: string;
  onChange: (id: string) => void;
}): ReactElement | null {
  const people = signers.flatMap(({ who }) => (who.kind === 'person' ? [{ value: who.id, label: nameOf(who) }] : []));
  if (people.length < 2 && person === '') return null;
  return (
    <Select
      label={statsWords.decidedBy}
      options={[{ value: '', label: statsWords.everyone }, ...people]}
      value={person}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function numbersOf(stats: Stats): { label: string; value: string }[] {
  const failed = stats.tools.reduce((sum, tool) => sum + tool.failed, 0);
  const run = stats.tools.reduce((sum, tool) => sum + tool.succeeded + tool.failed, 0);
  return [
    { label: statsWords.messages, value: countText(stats.messages) },
    { label: statsWords.chats, value: countText(stats.chats) },
    { label: statsWords.pending, value: countText(stats.pendingApprovals) },
    waitOf(stats.waiting),
    { label: statsWords.run, value: countText(run) },
    { label: statsWords.failureRate, value: run === 0 ? '–' : `${Math.round((failed / run) * 100)} %` },
  ];
}

function waitOf({ count, median, p95 }: Stats['waiting']): { label: string; value: string } {
  if (count === 0) return { label: statsWords.wait, value: '–' };
  return { label: statsWords.waitP95(durationText(p95)), value: durationText(median) };
}

function Panel({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <Card className="min-w-0 p-4">
      <h2 className="mb-2 text-sm font-semibold">{title}</h2>
      {children}
    </Card>
  );
}
