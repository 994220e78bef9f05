import { openWorldView } from '@countersign/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useClient, useOpened, useSelected, WorldContext } from '../data/connection.js';
import type { WorldStore } from '@countersign/client';
import { shareStreams } from '../data/share-streams.js';
import { browserTabs } from '../data/browser-tabs.js';
import { oneTab } from '../data/tabs.js';
import type { NewClient, World } from '@countersign/protocol';
import { Banner } from './banner.js';
import { EmptyHouse } from './empty-house.js';
import { Failed, Loading } from './frame.js';
import { Layout } from './layout.js';
import { paths, rememberedWorld, rememberWorld, worldOf } from './paths.js';

/** Finds the world to show and keeps its one stream open, whichever page is looked at. */
export function Home({ onRefused }: { onRefused: () => void }): ReactElement {
  const client = useClient();
  const [path] = useLocation();
  const worlds = useQuery({
    queryKey: ['worlds'],
    queryFn: ({ signal }) => client.worlds({ limit: 200 }, { signal }),
    refetchInterval: 30_000,
  });
  if (worlds.isPending) return <Loading what="your worlds" />;
  if (worlds.isError) return <Failed why={worlds.error.message} />;
  const items = worlds.data.items;
  const remembered = rememberedWorld();
  const worldId = worldOf(path) ?? items.find(({ id }) => id === remembered)?.id ?? items[0]?.id;
  if (worldId === undefined) return <EmptyHouse />;
  if (path === '/') return <Redirect to={paths.world(worldId)} replace />;
  return <InWorld key={worldId} worldId={worldId} worlds={items} onRefused={onRefused} />;
}

interface InWorldProps {
  worldId: string;
  worlds: readonly World[];
  onRefused: () => void;
}

/** What a tab says it is where a world denies what nobody can be asked about (A13). */
const WEB: NewClient = { label: 'web', approvals: true };

function InWorld({ worldId, worlds, onRefused }: InWorldProps): ReactElement {
  const isAlone = worlds.find(({ id }) => id === worldId)?.unattended === 'deny';
  useEffect(() => rememberWorld(worldId), [worldId]);
  return <Open key={String(isAlone)} worldId={worldId} worlds={worlds} isAlone={isAlone} onRefused={onRefused} />;
}

function Open({ worldId, worlds, isAlone, onRefused }: InWorldProps & { isAlone: boolean }): ReactElement {
  const client = useClient();
  const store = useOpened(
    () => openWorldView(shareStreams(client, browserTabs() ?? oneTab(), isAlone ? WEB : undefined), worldId),
    worldId,
  );
  if (store === undefined) return <Loading what="the world" />;
  return (
    <WorldContext value={store}>
      <Connected store={store} onRefused={onRefused} />
      <Unattended store={store} isAlone={isAlone} />
      <Layout worlds={worlds} />
    </WorldContext>
  );
}

/** The list of worlds is asked for now and then; that this one wants to know who can be asked must be heard at once. */
function Unattended({ store, isAlone }: { store: WorldStore; isAlone: boolean }): null {
  const queries = useQueryClient();
  const isStale = useSelected(store, ({ world }) => world !== undefined && (world.unattended === 'deny') !== isAlone);
  useEffect(() => {
    if (isStale) void queries.invalidateQueries({ queryKey: ['worlds'] });
  }, [isStale, queries]);
  return null;
}

function Connected({ store, onRefused }: { store: WorldStore; onRefused: () => void }): ReactElement {
  const connection = useSelected(store, (state) => state.connection);
  useEffect(() => {
    const retry = (): void => {
      if (document.visibilityState === 'visible') store.retryNow();
    };
    addEventListener('online', retry);
    document.addEventListener('visibilitychange', retry);
    return () => {
      removeEventListener('online', retry);
      document.removeEventListener('visibilitychange', retry);
    };
  }, [store]);
  const refused = connection.kind === 'closed' && connection.why?.includes('401') === true;
  useEffect(() => {
    if (refused) onRefused();
  }, [refused, onRefused]);
  return <Banner connection={connection} onRetry={() => store.retryNow()} />;
}
