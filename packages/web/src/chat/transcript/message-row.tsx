import type { Agent } from '@countersign/protocol';
import { stoppedText, type Notice, type TranscriptMessage } from '@countersign/client';
import { memo, type ReactElement } from 'react';
import { useMe } from '../../data/me.js';
import { cx } from '../../ui/cx.js';
import { Icon } from '../../ui/icon.js';
import { Visible } from '../../text/visible.js';
import { Attachments } from '../../calls/attachments.js';
import { Calls } from './calls.js';
import { MessageMenu } from './message-menu.js';
import { FailedTurn } from './failed-turn.js';
import { Markdown } from '../text/markdown.js';
import { Spoken } from './spoken.js';
import { Thoughts } from './thoughts.js';
import { chatWords } from '../../words/chat.js';

export interface MessageRowProps {
  message: TranscriptMessage;
  agents: readonly Agent[];
  /** The message that this one answers, if it isn't directly above. */
  answers?: { id: string; who: string; words: string } | undefined;
  onShow: (messageId: string) => void;
  notices: readonly Notice[];
  marked: boolean;
  /** Whether no person or agent has written since. */
  isLatest: boolean;
}

/** One row of the transcript: the sender, the text and its calls. */
export const MessageRow = memo(function MessageRow({
  message,
  agents,
  answers,
  onShow,
  notices,
  marked,
  isLatest,
}: MessageRowProps): ReactElement {
  const { speaker } = message;
  const me = useMe();
  const isSystem = speaker.kind === 'system';
  const hasMenu = message.content !== '' && (speaker.kind === 'person' || speaker.kind === 'agent');
  const menu = hasMenu ? <MessageMenu message={message} /> : undefined;
  return (
    <>
      <Spoken
        speaker={speaker}
        agents={agents}
        at={message.createdAt}
        usage={message.usage}
        marked={marked}
        menu={menu}
      >
        {answers === undefined ? null : (
          <button
            type="button"
            onClick={() => onShow(answers.id)}
            className="mb-0.5 flex max-w-full items-center gap-1 text-xs text-ink-3 hover:text-ink"
          >
            <Icon name="reply" className="size-3.5" />
            <span className="truncate">
              {chatWords.answers} <bdi>{answers.who}</bdi>: <Visible text={answers.words} />
            </span>
          </button>
        )}
        {message.thinking === undefined ? null : <Thoughts messageId={message.messageId} text={message.thinking} />}
        {message.content === '' ? null : (
          <div className={cx(isSystem && 'text-ink-2')}>
            <Markdown text={message.content} breaks={speaker.kind === 'person'} />
          </div>
        )}
        {message.attachments === undefined ? null : (
          <Attachments attachments={message.attachments} toolName={chatWords.attachment} />
        )}
        {message.stoppedBy === undefined ? null : (
          <p className="mt-1 flex items-center gap-1.5 text-[0.8125rem] text-ink-3">
            <Icon name="stop" className="size-3.5" />
            <Visible text={stoppedText(message.stoppedBy, me)} />
          </p>
        )}
        {isLatest && speaker.kind === 'system' && speaker.agentId !== undefined ? (
          <FailedTurn agentId={speaker.agentId} triggerId={message.replyToMessageId} />
        ) : null}
        {message.invocationIds.length === 0 ? null : <Calls ids={message.invocationIds} />}
      </Spoken>
      {notices.map((notice) => (
        <NoticeLine key={notice.eventId} notice={notice} />
      ))}
    </>
  );
});

export function NoticeLine({ notice }: { notice: Notice }): ReactElement {
  return (
    <p
      role="note"
      className={cx(
        'my-1 ml-10 flex items-start gap-1.5 rounded-md px-2 py-1 text-[0.8125rem]',
        notice.type === 'error' ? 'bg-red-soft text-red' : 'bg-sunken text-ink-2',
      )}
    >
      <Icon name={notice.type === 'error' ? 'alert' : 'bell'} className="mt-0.5" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <Visible text={notice.message} />
      </span>
    </p>
  );
}
