import { costText, durationText } from '@countersign/client';
import type { Agent, Timeline } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useMe } from '../../data/me.js';
import { agentHue, Avatar } from '../../ui/avatar.js';
import { cx } from '../../ui/cx.js';
import { useNow } from '../../text/time.js';
import { countText } from '../../text/time-text.js';
import { Visible } from '../../text/visible.js';
import { layOut, type Bar } from './lay-out-timeline.js';
import { chatWords } from '../../words/chat.js';

const LOOKS: Readonly<Record<Bar['kind'], string>> = {
  model: 'bg-blue',
  rehearsal: 'bg-line',
  tool: 'bg-ink-3',
  waiting: 'bg-amber-line',
};

/** The timeline of a turn: model calls, tools, and waiting for people. */
export function TimelineView({ turn, agents }: { turn: Timeline; agents: readonly Agent[] }): ReactElement {
  const now = useNow();
  const { bars, total } = layOut(turn, now, useMe());
  const name = agents.find(({ id }) => id === turn.agentId)?.name ?? turn.agentId;
  return (
    <figure style={agentHue(turn.agentId)} className="text-xs">
      <figcaption className="mb-1.5 flex min-h-5 items-center gap-2 text-ink-2">
        <Avatar id={turn.agentId} name={name} small />
        <bdi className="font-medium text-ink">{name}</bdi>
        <span className="ml-auto tabular-nums">
          {durationText(total)}
          {turn.inputTokens + turn.outputTokens === 0
            ? null
            : ` · ${chatWords.tokens(countText(turn.inputTokens), countText(turn.outputTokens), costText(turn))}`}
        </span>
      </figcaption>
      <ol className="flex flex-col gap-1">
        {bars.map((bar, index) => (
          <li
            key={`${index}`}
            className="grid h-4 grid-cols-[6.5rem_minmax(0,1fr)_3.5rem] items-center gap-2 leading-4"
          >
            <span
              className="truncate text-ink-2"
              title={bar.outcome === undefined ? bar.label : `${bar.label}, ${bar.outcome}`}
            >
              <Visible text={bar.kind === 'tool' ? bar.label : chatWords.bars[bar.kind]} />
              <span className="sr-only">
                , {chatWords.bars[bar.kind]}
                {bar.outcome === undefined ? '' : `, ${bar.outcome}`}
              </span>
            </span>
            <span aria-hidden="true" className="relative h-2.5 rounded-sm bg-sunken">
              <span
                className={cx('absolute inset-y-0 rounded-sm', LOOKS[bar.kind])}
                style={{ left: `${bar.left}%`, width: `max(2px, ${bar.width}%)` }}
              />
            </span>
            <span className="text-right text-ink-3 tabular-nums">{durationText(bar.ms)}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
