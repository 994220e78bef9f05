import { get, readAll, writerName } from '@countersign/client';
import type { Message } from '@countersign/protocol';
import { type ReactElement, useCallback, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useClient, useWorld } from '../../data/connection.js';
import { useRead } from '../../data/use-read.js';
import { NotRead, TopBar } from '../../shell/frame.js';
import { NoticePlace } from '../../notices/notice-place.js';
import { paths } from '../../shell/paths.js';
import { Button } from '../../ui/button.js';
import { Empty } from '../../ui/card.js';
import { Visible } from '../../text/visible.js';
import { ApprovalPanel } from '../approval-panel.js';
import type { ShownApproval } from '../shown-approval.js';
import { useAccount, useMe } from '../../data/me.js';
import { wasInvited } from '../../session/session.js';
import { rolesText } from '../../words/account.js';
import { useGoToWaiting } from '../use-go-to-waiting.js';
import { areSeveral, DecideSeveral } from '../several/decide-several.js';
import { type Inbox, inboxCount } from './use-inbox.js';
import { focusOnWaiting } from '../card/use-take-focus.js';
import { approvalWords } from '../../words/approvals.js';

/** Everything waiting in all chats in all worlds. */
export default function InboxPage({ inbox }: { inbox: Inbox }): ReactElement {
  const { items, others } = inbox;
  const account = useAccount();
  const worldId = useWorld((state) => state.worldId);
  const approvals = useWorld((state) => state.approvals);
  const find = useCallback(
    (id: string): ShownApproval | undefined => {
      const item = [...items, ...others].find(({ approval }) => approval.approvalId === id);
      if (item !== undefined) return item;
      const decided = get(approvals, id);
      return decided === undefined ? undefined : { worldId, agentName: decided.agentId, approval: decided };
    },
    [items, others, worldId, approvals],
  );
  const box = useRef<HTMLDivElement>(null);
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const [isDecidingSeveral, setIsDecidingSeveral] = useState(false);
  useGoToWaiting(() => focusOnWaiting(box.current));
  return (
    <>
      <TopBar>
        <h1 data-landing="always" className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold">
          {approvalWords.inbox}
        </h1>
        <NotifyButton />
        {areSeveral(items) ? (
          <Button size="small" onClick={() => setIsDecidingSeveral(true)}>
            {approvalWords.several.open}
          </Button>
        ) : null}
      </TopBar>
      {isDecidingSeveral ? (
        <DecideSeveral
          items={items}
          onDecided={(ids) => setTaken((before) => new Set([...before, ...ids]))}
          onClose={() => setIsDecidingSeveral(false)}
        />
      ) : null}
      <h2 className="sr-only">{approvalWords.waitingTitle}</h2>
      <p className="sr-only" role="status">
        {approvalWords.waitingStatus(inboxCount(inbox))}
      </p>
      {/* Notices replace the text: below it, they would move the card, and at the bottom its buttons. */}
      <div className="group/strip mx-auto flex h-14 w-full max-w-3xl shrink-0 flex-col justify-center px-3 pt-2 text-sm text-ink-2 sm:px-6">
        <p className="line-clamp-2 group-has-[[data-notices]_button]/strip:hidden">
          {account !== undefined && wasInvited() ? `${approvalWords.youAre(account.name, rolesText(account))} ` : ''}
          {items.length === 0 && others.length > 0 ? approvalWords.inboxOthers : approvalWords.inboxLead}
        </p>
        <NoticePlace className="max-h-12 overflow-y-auto" />
      </div>
      <div ref={box} className="mx-auto flex min-h-0 w-full max-w-3xl flex-1 flex-col p-2 sm:px-6 sm:pb-4">
        <ApprovalPanel
          queue={[...items, ...others].map(({ approval }) => approval.approvalId)}
          taken={taken}
          onMore={inbox.loadMore}
          find={find}
          about={(asked) => <Context asked={asked} />}
          empty={<Empty title={approvalWords.inboxEmpty}>{approvalWords.inboxEmptyHint}</Empty>}
        />
      </div>
    </>
  );
}

/** The last messages in the chat, so that a call can be judged without leaving the inbox (CALL3). */
function Context({ asked: { worldId, approval } }: { asked: ShownApproval }): ReactElement {
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

function NotifyButton(): ReactElement | null {
  const [permission, setPermission] = useState(() =>
    'Notification' in globalThis ? Notification.permission : 'denied',
  );
  if (permission !== 'default') return null;
  return (
    <Button size="small" icon="bell" onClick={() => void Notification.requestPermission().then(setPermission)}>
      {approvalWords.notify}
    </Button>
  );
}
