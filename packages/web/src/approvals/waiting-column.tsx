import { callLine, get } from '@countersign/client';
import { lazy, type ReactElement, Suspense, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useChat, useWorld } from '../data/connection.js';
import { paths } from '../shell/paths.js';
import { Count } from '../ui/badge.js';
import { Icon } from '../ui/icon.js';
import { Visible } from '../ui/visible.js';
import { ApprovalPanel } from './approval-panel.js';
import { useChatQueue } from './use-chat-queue.js';

const LastTurn = lazy(() => import('../chat/last-turn.js'));

/** The column beside the transcript: what waits for a person, and the last turn over time. */
export function WaitingColumn({ wanted }: { wanted: { id: string } | undefined }): ReactElement {
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const { queue, find } = useChatQueue();
  const column = useRef<HTMLElement>(null);

  // Two keys at once, so that it is no letter: brings the focus to what waits, and signs nothing.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.altKey || event.key.toLowerCase() !== 'n') return;
      event.preventDefault();
      column.current?.querySelector<HTMLElement>('section[tabindex]')?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <aside
      ref={column}
      aria-label="Waiting for you"
      className="scroll-quiet flex w-[23.5rem] shrink-0 flex-col overflow-y-auto border-l border-line bg-paper 2xl:w-[27rem]"
    >
      <header className="flex h-14 shrink-0 items-center gap-2 px-4">
        <h2 className="text-[0.9375rem] font-semibold">Waiting for you</h2>
        <Count value={queue.length} of="in this chat" />
      </header>
      <p className="sr-only" role="status">
        {queue.length === 0 ? '' : `${queue.length} waiting for you. Alt and N goes there.`}
      </p>
      <div className="flex-1 px-4 pb-4">
        <ApprovalPanel
          queue={queue}
          find={find}
          wanted={wanted}
          empty={<p className="text-sm text-ink-3">Nothing in this chat waits for you.</p>}
        />
        {queue.length === 0 ? null : (
          <p className="mt-2 text-xs text-ink-3">
            With the card in focus (Alt+N): <kbd>a</kbd> approve once, <kbd>d</kbd> deny, <kbd>e</kbd> edit,{' '}
            <kbd>n</kbd> next.
          </p>
        )}
        <Elsewhere worldId={worldId} chatId={chatId} />
      </div>
      <Suspense fallback={null}>
        <LastTurn />
      </Suspense>
    </aside>
  );
}

function Elsewhere({ worldId, chatId }: { worldId: string; chatId: string }): ReactElement | null {
  const approvals = useWorld((state) => state.approvals);
  const queue = useWorld((state) => state.queue);
  const others = queue
    .map((id) => get(approvals, id))
    .filter((each) => each !== undefined)
    .filter((each) => each.chatId !== chatId);
  if (others.length === 0) return null;
  return (
    <div className="mt-6">
      <h3 className="mb-1 text-xs font-semibold text-ink-3">In other chats</h3>
      <ul className="overflow-hidden rounded-lg border border-line bg-surface">
        {others.slice(0, 8).map((each) => (
          <li key={each.approvalId} className="border-t border-line first:border-t-0">
            <Link
              href={paths.chat(worldId, each.chatId)}
              className="flex min-h-10 items-center gap-2 px-3 text-[0.8125rem] hover:bg-sunken"
            >
              <Icon name="hourglass" className="text-amber" />
              <code className="min-w-0 flex-1 truncate">
                <Visible text={callLine(each.toolName, each.arguments)} strict />
              </code>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
