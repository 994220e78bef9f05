import { openWorldView, type WorldStore } from '@countersign/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect, useRef, useSyncExternalStore } from 'react';
import { Redirect, useLocation } from 'wouter';
import { WaitingContext } from '../approvals/inbox/use-inbox.js';
import { openWaiting } from '../approvals/inbox/waiting.js';
import { useClient, useOpened, useOutbox, useSelected, WorldContext } from '../data/connection.js';
import { useWorlds } from '../data/use-lists.js';
import { shareStreams } from '../data/share-streams.js';
import { browserTabs } from '../data/browser-tabs.js';
import { oneTab } from '../data/tabs.js';
import { mayDo, type NewClient, type World } from '@countersign/protocol';
import { useAccount } from '../data/me.js';
import { currentSession, subscribeToSession, wasInvited } from '../session/session.js';
import { say } from '../notices/toast.js';
import { showConnection } from '../notices/banner.js';
import { NoWorlds } from './no-worlds.js';
import { Loading, NotRead } from './frame.js';
import { Gone } from './gone.js';
import { Layout } from './layout.js';
import { paths, rememberWorld, worldToShow } from './paths.js';
import { shellWords } from '../words/shell.js';

/** Finds the world to show and keeps its stream, and the one of all queues, open on every page. */
export function Home(): ReactElement {
  const client = useClient();
  // Another person may sign in on the same page.
  const session = useSyncExternalStore(subscribeToSession, currentSession) ?? '';
  const waiting = useOpened(() => openWaiting(client, browserTabs() ?? oneTab()), session);
  return (
    <WaitingContext value={waiting}>
      <Worlds />
    </WaitingContext>
  );
}

function Worlds(): ReactElement {
  const [path] = useLocation();
  const worlds = useWorlds({ everyMs: 30_000 });
  if (worlds.kind !== 'ready') return <NotRead read={worlds} what={shellWords.yourWorlds} />;
  const items = worlds.data;
  const worldId = worldToShow(path, items);
  if (worldId === undefined) return <NoWorlds />;
  if (path === '/') return <Landing worldId={worldId} />;
  return <InWorld key={worldId} worldId={worldId} worlds={items} />;
}

/** People who were invited to sign calls start with the calls that wait for them. */
function Landing({ worldId }: { worldId: string }): ReactElement {
  const account = useAccount();
  if (!wasInvited()) return <Redirect to={paths.world(worldId)} replace />;
  if (account === undefined) return <Loading what={shellWords.yourWorlds} />;
  const worlds = [undefined, ...Object.keys(account.worldRoles)];
  const maySign = worlds.some((world) => mayDo(account, 'sign', world));
  return <Redirect to={maySign ? paths.inbox : paths.world(worldId)} replace />;
}

interface InWorldProps {
  worldId: string;
  worlds: readonly World[];
}

/** How a tab registers as a client in a world that denies calls if nobody can be asked (CALL13). */
const WEB: NewClient = { label: 'web', approvals: true };

function InWorld({ worldId, worlds }: InWorldProps): ReactElement {
  const denies = worlds.find(({ id }) => id === worldId)?.unattended === 'deny';
  useEffect(() => rememberWorld(worldId), [worldId]);
  return <Open key={String(denies)} worldId={worldId} worlds={worlds} denies={denies} />;
}

/** `denies`: calls are denied here if nobody can be asked, so the page registers as a client that can. */
function Open({ worldId, worlds, denies }: InWorldProps & { denies: boolean }): ReactElement {
  const client = useClient();
  const store = useOpened(
    () => openWorldView(shareStreams(client, browserTabs() ?? oneTab(), denies ? WEB : undefined), worldId),
    worldId,
  );
  if (store === undefined) return <Loading what={shellWords.theWorld} />;
  return (
    <WorldContext value={store}>
      <Connected store={store} />
      <Unattended store={store} denies={denies} />
      <There store={store} worlds={worlds} />
    </WorldContext>
  );
}

/** Shows the world until it is deleted. */
function There({ store, worlds }: { store: WorldStore; worlds: readonly World[] }): ReactElement {
  const isThere = useSelected(
    store,
    ({ deleted, connection }) => !deleted && !(connection.kind === 'closed' && connection.status === 404),
  );
  return isThere ? <Layout worlds={worlds} /> : <Gone worlds={worlds} />;
}

/** The list of worlds is only polled, but a change to this setting must take effect immediately. */
function Unattended({ store, denies }: { store: WorldStore; denies: boolean }): null {
  const queries = useQueryClient();
  const isStale = useSelected(store, ({ world }) => world !== undefined && (world.unattended === 'deny') !== denies);
  useEffect(() => {
    if (isStale) void queries.invalidateQueries({ queryKey: ['worlds'] });
  }, [isStale, queries]);
  return null;
}

/** Shows the state of the connection. When the connection is back, retries everything that failed in the meantime. */
function Connected({ store }: { store: WorldStore }): null {
  const queries = useQueryClient();
  const outbox = useOutbox();
  const connection = useSelected(store, (state) => state.connection);
  const wasLost = useRef(false);
  useEffect(() => {
    showConnection(connection, () => store.retryNow());
    if (connection.kind === 'reconnecting') wasLost.current = true;
    if (connection.kind !== 'open' || !wasLost.current) return;
    wasLost.current = false;
    say(shellWords.reconnected, 'green');
    outbox.retryNow();
    void queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
  }, [connection, store, queries, outbox]);
  useEffect(() => () => showConnection({ kind: 'connecting' }, () => undefined), []);
  return null;
}
