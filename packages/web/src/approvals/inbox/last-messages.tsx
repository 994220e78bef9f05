import { readAll, writerName } from '@countersign/client';
import type { Message } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useClient } from '../../data/connection.js';
import { useMe } from '../../data/me.js';
import { useRead } from '../../data/use-read.js';
import { NotRead } from '../../shell/frame.js';
import { paths } from '../../shell/paths.js';
import { Visible } from '../../text/visible.js';
import { approvalWords } from '../../words/approvals.js';
import type { ShownApproval } from '../shown-approval.js';

/** The last messages in the chat, so that a call can be judged without leaving the inbox (CALL3). */
export function LastMessages({ asked: { worldId, approval } }: { asked: ShownApproval }): ReactElement {
  const client = useClient();
  const shown = useRead({
    key: ['approval', worldId, approval.approvalId],
    read: (signal) => client.approval(worldId, approval.approvalId, { signal }),
  });
  const agents = useRead({
    key: ['agents-of', worldId],
    read: (signal) => readAll((page) => client.agents(worldId, page, { signal })),
  });
  const nameOf = (id: string): string =>
    (agents.kind === 'ready' ? agents.data.find((agent) => agent.id === id)?.name : undefined) ?? id;
  const context = shown.kind === 'ready' ? shown.data.context : [];
  const spoken = context.filter(({ role, content }) => role !== 'tool' && content !== '');
  return (
    <section className="rounded-lg border border-line bg-surface px-4 py-3 text-sm">
      <div className="mb-2 flex items-center justify-between gap-2">
        <h3 className="font-semibold">{approvalWords.lastMessages}</h3>
        <Link href={paths.chat(worldId, approval.chatId)} className="font-medium text-blue hover:underline">
          {approvalWords.openChat}
        </Link>
      </div>
      {shown.kind === 'ready' ? null : <NotRead read={shown} what={approvalWords.theMessages} />}
      {shown.kind === 'ready' && spoken.length === 0 ? <p className="text-ink-3">{approvalWords.noMessages}</p> : null}
      <ul className="space-y-1.5">
        {spoken.slice(-10).map((message) => (
          <MessageLine key={message.messageId} message={message} name={nameOf(message.sender)} />
        ))}
      </ul>
    </section>
  );
}

function MessageLine({ message: { who, content }, name }: { message: Message; name: string }): ReactElement {
  const me = useMe();
  return (
    <li className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-2">
      <bdi className="truncate text-ink-3">{writerName({ name, who }, me) ?? approvalWords.you}</bdi>
      <span className="line-clamp-3 [overflow-wrap:anywhere]">
        <Visible text={content.slice(0, 600)} />
      </span>
    </li>
  );
}
