import type { Agent } from '@countersign/protocol';
import { costText, writerName, type Speaker, type TranscriptMessage } from '@countersign/client';
import { useMe } from '../../data/me.js';
import type { ReactElement, ReactNode } from 'react';
import { agentHue, Avatar } from '../../ui/avatar.js';
import { cx } from '../../ui/cx.js';
import { Icon } from '../../ui/icon.js';
import { Clock } from '../../text/time.js';
import { countText } from '../../text/time-text.js';
import { composerWords } from '../../words/composer.js';

/** The sender of a message, and its text. */
export function Spoken({
  speaker,
  agents,
  at,
  usage,
  note,
  menu,
  marked = false,
  children,
}: {
  speaker: Speaker;
  agents: readonly Agent[];
  at?: string;
  usage?: TranscriptMessage['usage'];
  /** Shown instead of the time. */
  note?: string | undefined;
  /** At the end of the line with the sender. */
  menu?: ReactNode;
  marked?: boolean;
  children: ReactNode;
}): ReactElement {
  const name = speakerName(speaker, agents, useMe());
  return (
    <article
      aria-label={name}
      style={speaker.kind === 'agent' ? agentHue(speaker.agentId) : undefined}
      aria-current={marked ? 'true' : undefined}
      className={cx('group/message flex gap-3 rounded-lg px-1 py-2.5', marked && 'bg-blue-soft')}
    >
      {speaker.kind === 'agent' ? (
        <Avatar id={speaker.agentId} name={name} />
      ) : (
        <span
          aria-hidden="true"
          className="inline-flex size-7 shrink-0 items-center justify-center rounded-md border border-line bg-surface text-ink-3"
        >
          <Icon
            name={speaker.kind === 'person' ? 'edit' : speaker.kind === 'system' ? 'alert' : 'globe'}
            className="size-3.5"
          />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <header className="flex items-baseline gap-2">
          <span className={cx('truncate text-sm font-semibold', speaker.kind === 'agent' && 'agent-ink')}>
            <bdi>{name}</bdi>
          </span>
          {at === undefined ? null : (
            <span className="text-xs text-ink-3">
              <Clock at={at} />
            </span>
          )}
          {note === undefined ? null : <span className="text-xs text-ink-3">{note}</span>}
          <span className="ml-auto" />
          {usage === undefined || usage.inputTokens + usage.outputTokens === 0 ? null : (
            <span
              className="text-xs text-ink-3 tabular-nums"
              title={composerWords.tokensTitle(usage.inputTokens, usage.outputTokens)}
            >
              {composerWords.tokens(countText(usage.inputTokens), countText(usage.outputTokens), costText(usage))}
            </span>
          )}
          {menu}
        </header>
        {children}
      </div>
    </article>
  );
}

export function speakerName(speaker: Speaker, agents: readonly Agent[], me: string | undefined): string {
  switch (speaker.kind) {
    case 'agent':
      return agents.find(({ id }) => id === speaker.agentId)?.name ?? speaker.agentId;
    case 'person':
      return writerName(speaker, me) ?? composerWords.you;
    case 'world':
      return 'world';
    case 'system':
      return 'notice';
  }
}
