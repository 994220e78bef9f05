import { costText, sumCosts } from '@countersign/client';
import type { ReactElement } from 'react';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Loaded } from '../shell/frame.js';
import { countText } from '../text/time-text.js';
import { Section } from '../ui/section.js';
import { statsWords } from '../words/stats.js';

/** What the world's agents used on each of the last 30 days, the newest first. Nothing if no model was called. */
export function Costs(): ReactElement {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const costs = useRead({ key: ['costs', worldId], read: (signal) => client.costs(worldId, { signal }), once: true });
  return (
    <Section title={statsWords.costs} lead={statsWords.costsLead}>
      <Loaded read={costs} what={statsWords.theCosts}>
        {({ items }) => <Days days={[...sumCosts(items, ({ day }) => day)].toReversed()} />}
      </Loaded>
    </Section>
  );
}

function Days({ days }: { days: [string, Parameters<typeof costText>[0]][] }): ReactElement {
  if (days.length === 0) return <p className="text-sm text-ink-3">{statsWords.noData}</p>;
  return (
    <div tabIndex={0} role="group" aria-label={statsWords.costs} className="max-h-80 min-w-0 overflow-auto">
      <table className="w-full text-left text-[0.8125rem]">
        <thead className="text-ink-3">
          <tr>
            {Object.values(statsWords.costColumns).map((column, at) => (
              <th
                key={column}
                scope="col"
                className={at === 0 ? 'py-1 font-normal' : 'px-2 py-1 text-right font-normal'}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {days.map(([day, used]) => (
            <tr key={day} className="border-t border-line">
              <th scope="row" className="py-1 font-normal whitespace-nowrap">
                {day}
              </th>
              <td className="px-2 text-right">{countText(used.inputTokens)}</td>
              <td className="px-2 text-right">{countText(used.outputTokens)}</td>
              <td className="px-2 text-right">{costText(used) || statsWords.unpriced}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
