import type { ChatSummary } from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useWorld } from '../../data/connection.js';
import { useNow } from '../../text/time.js';
import { visibleText } from '../../text/visible-parts.js';
import { Count } from '../../ui/badge.js';
import { Icon } from '../../ui/icon.js';
import { shellWords } from '../../words/shell.js';
import { type ChatGroup, groupChats, keyOf } from './group-chats.js';
import { paths } from '../paths.js';

const HOUR_MS = 3_600_000;
const FIRST = 50;
const MORE = 100;

/** The chats of a world by date. Archived chats are behind a button, except those that need the reader. */
export function ChatList({ worldId, onGo }: { worldId: string; onGo: () => void }): ReactElement {
  const chats = useWorld((state) => state.chats);
  const now = useHour();
  const [shown, setShown] = useState(FIRST);
  const [withArchived, setWithArchived] = useState(false);
  const [path] = useLocation();
  if (chats.length === 0) return <p className="px-2.5 py-2 text-sm text-ink-3">{shellWords.noChats}</p>;
  const isAway = (chat: ChatSummary): boolean =>
    chat.filed === 'archived' && chat.waiting === 0 && path !== paths.chat(worldId, chat.id);
  const listed = withArchived ? chats : chats.filter((chat) => !isAway(chat));
  const groups = groupChats(listed, now);
  let left = shown;
  return (
    <>
      {groups.map(({ when, chats: all }) => {
        const some = all.slice(0, left);
        left -= some.length;
        return some.length === 0 ? null : (
          <section key={keyOf(when)} aria-label={headingOf(when)} className="mt-4 first:mt-1">
            <h2 className="mb-1 px-2.5 text-xs font-semibold text-ink-3">{headingOf(when)}</h2>
            <ul className="space-y-px">
              {some.map((chat) => (
                <li key={chat.id}>
                  <Link
                    href={paths.chat(worldId, chat.id)}
                    onClick={onGo}
                    aria-current={path === paths.chat(worldId, chat.id) ? 'page' : undefined}
                    className="flex min-h-9 items-center gap-2 rounded-md px-2.5 text-sm text-ink-2 hover:bg-line hover:text-ink aria-[current=page]:bg-surface aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:shadow-card"
                  >
                    <bdi className="min-w-0 flex-1 truncate">{visibleText(chat.title)}</bdi>
                    <ChatMark chat={chat} />
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {listed.length > shown ? <More onClick={() => setShown(shown + MORE)}>{shellWords.moreChats}</More> : null}
      {listed.length < chats.length ? (
        <More onClick={() => setWithArchived(true)}>{shellWords.showArchived(chats.length - listed.length)}</More>
      ) : null}
      {withArchived && chats.some(isAway) ? (
        <More onClick={() => setWithArchived(false)}>{shellWords.hideArchived}</More>
      ) : null}
    </>
  );
}

/** Changes each hour, so that the list isn't grouped again each second. */
function useHour(): number {
  return Math.floor(useNow() / HOUR_MS) * HOUR_MS;
}

function headingOf(when: ChatGroup['when']): string {
  return typeof when === 'string'
    ? shellWords.chatGroups[when]
    : when.month.toLocaleDateString(undefined, { month: 'long', year: 'numeric' });
}

function More({ onClick, children }: { onClick: () => void; children: string }): ReactElement {
  return (
    <button type="button" className="block px-2.5 py-1.5 text-sm text-blue hover:underline" onClick={onClick}>
      {children}
    </button>
  );
}

function ChatMark({ chat }: { chat: ChatSummary }): ReactElement | null {
  const isLoaded = useWorld((state) => state.laterApprovals === undefined);
  if (chat.waiting > 0) return <Count value={chat.waiting} of={shellWords.waitingForYou} />;
  // Its call waits for other people, or is beyond the loaded part of the queue.
  if (chat.status === 'waiting')
    return (
      <span className={isLoaded ? 'text-ink-3' : 'text-amber'}>
        <Icon name="hourglass" className="size-3.5" />
        <span className="sr-only">{isLoaded ? shellWords.waitingForOthers : shellWords.waitingForYou}</span>
      </span>
    );
  if (chat.status !== 'working') return null;
  return (
    <span className="flex items-center text-blue">
      <span aria-hidden="true" className="size-2 animate-breathe rounded-full bg-current" />
      <span className="sr-only">{shellWords.working}</span>
    </span>
  );
}
