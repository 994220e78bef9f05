import { type ChatSummary, get, isForYou, worldLabel } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useWorld } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { Avatar } from '../ui/avatar.js';
import { Count } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { cx } from '../ui/cx.js';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icon-paths.js';
import { focusPage } from '../ui/keep-focus.js';
import { Menu } from '../ui/menu.js';
import { Mark } from '../ui/signature.js';
import { visibleText } from '../text/visible-parts.js';
import { AccountMenu } from './account-menu.js';
import ImportWorld from './import-world.js';
import { NewWorld } from './new-world.js';
import { paths } from './paths.js';
import { ThemeSwitch } from './theme-switch.js';
import { shellWords } from '../words/shell.js';

export interface SidebarProps {
  worlds: readonly World[];
  pending: string;
  onGo: () => void;
}

const PAGES = [
  { page: 'policy', icon: 'policy' },
  { page: 'grants', icon: 'grants' },
  { page: 'audit', icon: 'audit' },
  { page: 'stats', icon: 'stats' },
  { page: 'servers', icon: 'plug' },
  { page: 'schedules', icon: 'clock' },
  { page: 'providers', icon: 'key' },
  { page: 'search', icon: 'search' },
  { page: 'settings', icon: 'settings' },
] as const;

/** Worlds, chats, agents and pages. */
export function Sidebar({ worlds, pending, onGo }: SidebarProps): ReactElement {
  const worldId = useWorld((state) => state.worldId);
  const worldName = useWorld((state) => state.world?.name ?? state.worldId);
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const mayCreate = useMay('admin');
  const mayChat = useMay('chat', worldId);
  const [creating, setCreating] = useState<'new' | 'import'>();
  const go = (path: string): void => {
    navigate(path);
    onGo();
  };
  const startChat = (): void => {
    go(paths.world(worldId));
    focusPage();
  };
  return (
    <div className="flex h-full min-h-0 flex-col bg-sunken">
      <div className="p-2">
        <Menu
          align="start"
          trigger={
            <button
              type="button"
              aria-label={shellWords.world(worldName)}
              className="flex h-11 w-full items-center gap-2 rounded-lg px-2.5 text-left hover:bg-line"
            >
              <Mark className="text-blue" />
              <bdi className="min-w-0 flex-1 truncate font-semibold">{worldName}</bdi>
              <Icon name="down" className="text-ink-3" />
            </button>
          }
          entries={[
            ...worlds.map((world) => ({
              label: worldLabel(world, worlds),
              checked: world.id === worldId,
              onSelect: () => go(paths.world(world.id)),
            })),
            ...(mayCreate
              ? [
                  { label: shellWords.openNewWorld, icon: 'plus' as const, onSelect: () => setCreating('new') },
                  { label: shellWords.importWorld, icon: 'file' as const, onSelect: () => setCreating('import') },
                ]
              : []),
          ]}
        />
        <Button icon="plus" className="mt-1 w-full" disabled={!mayChat} onClick={startChat}>
          {shellWords.newChat}
        </Button>
      </div>
      <nav aria-label={shellWords.chats} className="scroll-quiet min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        <ChatList worldId={worldId} onGo={onGo} />
        <h2 className="mt-4 mb-1 px-2.5 text-xs font-semibold text-ink-3">{shellWords.pages.agents}</h2>
        <AgentList worldId={worldId} onGo={onGo} />
      </nav>
      <nav aria-label={shellWords.navigation} className="grid grid-cols-2 gap-0.5 border-t border-line p-2">
        <Page to={paths.inbox} icon="inbox" onGo={onGo} className="col-span-2">
          {shellWords.pages.inbox} <Count value={pending} of={shellWords.waitingForYou} />
        </Page>
        {PAGES.map(({ page, icon }) => (
          <Page
            key={page}
            to={page === 'providers' ? paths.providers : paths.page(worldId, page)}
            icon={icon}
            onGo={onGo}
          >
            {shellWords.pages[page]}
          </Page>
        ))}
        <ThemeSwitch />
        <AccountMenu go={go} />
      </nav>
      {creating === 'import' ? <ImportWorld onClose={() => setCreating(undefined)} /> : null}
      {creating === 'new' ? (
        <NewWorld
          onClose={() => setCreating(undefined)}
          onMade={(world) => {
            setCreating(undefined);
            void queries.invalidateQueries({ queryKey: ['worlds'] });
            go(paths.world(world.id));
          }}
        />
      ) : null}
    </div>
  );
}

function ChatList({ worldId, onGo }: { worldId: string; onGo: () => void }): ReactElement {
  const chats = useWorld((state) => state.chats);
  const [path] = useLocation();
  const [shown, setShown] = useState(50);
  if (chats.length === 0) return <p className="px-2.5 py-2 text-sm text-ink-3">{shellWords.noChats}</p>;
  return (
    <ul className="space-y-px">
      {chats.slice(0, shown).map((chat) => (
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
      {chats.length > shown ? (
        <li>
          <button
            type="button"
            className="px-2.5 py-1 text-sm text-blue hover:underline"
            onClick={() => setShown(shown + 100)}
          >
            {shellWords.moreChats}
          </button>
        </li>
      ) : null}
    </ul>
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

function AgentList({ worldId, onGo }: { worldId: string; onGo: () => void }): ReactElement {
  const agents = useWorld((state) => state.agents);
  const queue = useWorld((state) => state.queue);
  const approvals = useWorld((state) => state.approvals);
  const me = useWorld((state) => state.me);
  const waiting = new Set(
    queue.flatMap((id) => {
      const approval = get(approvals, id);
      return approval !== undefined && isForYou(approval, me) ? [approval.agentId] : [];
    }),
  );
  return (
    <ul className="space-y-px">
      {agents.map((agent) => (
        <li key={agent.id}>
          <Link
            href={paths.agent(worldId, agent.id)}
            onClick={onGo}
            className="flex min-h-9 items-center gap-2 rounded-md px-2.5 text-sm text-ink-2 hover:bg-line hover:text-ink"
          >
            <Avatar id={agent.id} name={agent.name} small />
            <bdi className="min-w-0 flex-1 truncate">{agent.name}</bdi>
            {waiting.has(agent.id) ? (
              <span className="text-amber">
                <Icon name="hourglass" className="size-3.5" />
                <span className="sr-only">{shellWords.waitingForYou}</span>
              </span>
            ) : null}
            {agent.active ? null : <span className="text-xs text-ink-3">{shellWords.off}</span>}
          </Link>
        </li>
      ))}
      <li>
        <Link
          href={paths.page(worldId, 'agents')}
          onClick={onGo}
          className="flex min-h-9 items-center gap-2 rounded-md px-2.5 text-sm text-ink-3 hover:bg-line hover:text-ink"
        >
          <Icon name="agents" className="mx-0.5" />
          {shellWords.allAgents}
        </Link>
      </li>
    </ul>
  );
}

function Page({
  to,
  icon,
  children,
  onGo,
  className,
}: {
  to: string;
  icon: IconName;
  children: ReactNode;
  onGo: () => void;
  className?: string;
}): ReactElement {
  const [path] = useLocation();
  return (
    <Link
      href={to}
      onClick={onGo}
      aria-current={path === to ? 'page' : undefined}
      className={cx(
        'flex min-h-9 items-center gap-2 rounded-md px-2.5 text-sm text-ink-2 hover:bg-line hover:text-ink aria-[current=page]:bg-surface aria-[current=page]:font-medium aria-[current=page]:text-ink',
        className,
      )}
    >
      <Icon name={icon} className="text-ink-3" />
      {children}
    </Link>
  );
}
