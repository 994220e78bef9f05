import { get, isForYou, worldLabel } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, type ReactElement, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useWorld } from '../../data/connection.js';
import { useMay } from '../../data/me.js';
import { Avatar } from '../../ui/avatar.js';
import { Count } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { cx } from '../../ui/cx.js';
import { Icon } from '../../ui/icon.js';
import type { IconName } from '../../ui/icon-paths.js';
import { focusPage } from '../../ui/keep-focus.js';
import { Menu } from '../../ui/menu.js';
import { Mark } from '../../ui/signature.js';
import { AccountMenu } from '../account-menu.js';
import { ChatList } from './chat-list.js';
import { NewWorld } from '../new-world.js';
import { paths } from '../paths.js';
import { ThemeSwitch } from './theme-switch.js';
import { isWorldSettings } from '../world-settings.js';
import { shellWords } from '../../words/shell.js';

const ImportWorld = lazy(() => import('../import-world.js'));

export interface SidebarProps {
  worlds: readonly World[];
  pending: string;
  onGo: () => void;
}

const PAGES = [
  { page: 'search', icon: 'search' },
  { page: 'schedules', icon: 'clock' },
] as const;

/** Worlds, chats, agents and pages. */
export function Sidebar({ worlds, pending, onGo }: SidebarProps): ReactElement {
  const worldId = useWorld((state) => state.worldId);
  const worldName = useWorld((state) => state.world?.name ?? state.worldId);
  const [path, navigate] = useLocation();
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
          <Page key={page} to={paths.page(worldId, page)} icon={icon} onGo={onGo}>
            {shellWords.pages[page]}
          </Page>
        ))}
        <Page
          to={paths.page(worldId, 'policy')}
          icon="settings"
          onGo={onGo}
          className="col-span-2"
          isCurrent={isWorldSettings(path)}
        >
          {shellWords.worldSettings}
        </Page>
        <ThemeSwitch />
        <AccountMenu go={go} />
      </nav>
      {creating === 'import' ? (
        <Suspense>
          <ImportWorld onClose={() => setCreating(undefined)} />
        </Suspense>
      ) : null}
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
  isCurrent,
}: {
  to: string;
  icon: IconName;
  children: ReactNode;
  onGo: () => void;
  className?: string;
  isCurrent?: boolean;
}): ReactElement {
  const [path] = useLocation();
  return (
    <Link
      href={to}
      onClick={onGo}
      aria-current={(isCurrent ?? path === to) ? 'page' : undefined}
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
