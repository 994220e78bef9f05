import { agentName, durationText } from '@countersign/client';
import type { QuestionFigures, QuestionStats } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useClient, useWorld } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { Loaded } from '../shell/frame.js';
import { paths } from '../shell/paths.js';
import { Section } from '../ui/section.js';
import { countText } from '../text/time-text.js';
import { Visible } from '../text/visible.js';
import { statsWords } from '../words/stats.js';
import { Numbers } from './numbers.js';

/** Whether the questions are worth asking: for an admin those of everyone or of one person, for others their own. */
export function Questions({ person }: { person: string }): ReactElement {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const isAdmin = useMay('admin', worldId);
  const wanted = isAdmin && person !== '' ? { person } : {};
  const questions = useRead({
    key: ['questions', worldId, wanted.person],
    read: (signal) => client.questionStats(worldId, { signal, ...wanted }),
    once: true,
  });
  return (
    <Section title={statsWords.worth} lead={isAdmin ? statsWords.worthLead : statsWords.worthOwn}>
      <Loaded read={questions} what={statsWords.theQuestions}>
        {(stats) => <Shown stats={stats} worldId={worldId} />}
      </Loaded>
    </Section>
  );
}

function Shown({ stats, worldId }: { stats: QuestionStats; worldId: string }): ReactElement {
  const agents = useWorld((state) => state.agents);
  const numbers = [
    { label: statsWords.questions, value: countText(stats.questions) },
    { label: statsWords.perDay, value: String(stats.perDay) },
    { label: statsWords.perHundred, value: String(stats.perHundred) },
    { label: statsWords.wait, value: timeOf(stats.waiting) },
    { label: statsWords.onCard, value: timeOf(stats.onCard) },
    { label: statsWords.hasty, value: countText(stats.hasty) },
  ];
  return (
    <>
      <Numbers numbers={numbers} />
      {stats.saveable === undefined ? null : (
        <p className="mb-4 text-sm">
          <Link href={paths.page(worldId, 'policy')} className="text-blue underline">
            {statsWords.saveable}
          </Link>
          : {stats.saveable}
        </p>
      )}
      <div className="grid gap-4 lg:grid-cols-3">
        <Groups title={statsWords.by.tools} groups={stats.tools} nameOf={(name) => name} />
        <Groups title={statsWords.by.agents} groups={stats.agents} nameOf={(id) => agentName({ agents }, id)} />
        <Groups title={statsWords.by.rules} groups={stats.rules} nameOf={(rule) => rule || statsWords.noRule} />
      </div>
    </>
  );
}

function timeOf({ count, median }: QuestionFigures['waiting']): string {
  return count === 0 ? '–' : durationText(median);
}

function Groups({
  title,
  groups,
  nameOf,
}: {
  title: string;
  groups: QuestionStats['tools'];
  nameOf: (name: string) => string;
}): ReactElement | null {
  const asked = groups.filter(({ questions }) => questions > 0);
  if (asked.length === 0) return null;
  const { columns } = statsWords;
  return (
    <div tabIndex={0} role="group" aria-label={title} className="min-w-0 overflow-x-auto">
      <table className="w-full text-left text-[0.8125rem]">
        <caption className="text-left font-semibold">{title}</caption>
        <thead className="text-ink-3">
          <tr>
            <td />
            {Object.values(columns).map((column) => (
              <th key={column} scope="col" className="px-2 py-1 text-right font-normal">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {asked.map((group) => (
            <tr key={group.name} className="border-t border-line">
              <th scope="row" className="py-1 font-normal [overflow-wrap:anywhere]">
                <Visible text={nameOf(group.name)} strict />
              </th>
              <td className="px-2 text-right">{countText(group.questions)}</td>
              <td className="px-2 text-right">{countText(group.hasty)}</td>
              <td className="px-2 text-right whitespace-nowrap">{timeOf(group.waiting)}</td>
              <td className="px-2 text-right whitespace-nowrap">{timeOf(group.onCard)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
