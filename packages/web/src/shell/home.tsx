import { openWorldView, readAll, type WorldStore } from '@countersign/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect, useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useClient, useOpened, useSelected, WorldContext } from '../data/connection.js';
import { shareStreams } from '../data/share-streams.js';
import { browserTabs } from '../data/browser-tabs.js';
import { oneTab } from '../data/tabs.js';
import type { NewClient, World } from '@countersign/protocol';
import { Banner } from './banner.js';
import { EmptyHouse } from './empty-house.js';
import { Failed, Loading } from './frame.js';
import { Gone } from './gone.js';
import { Layout } from './layout.js';
import { paths, rememberedWorld, rememberWorld, worldOf } from './paths.js';

/** Finds the world to show and keeps its one stream open, whichever page is looked at. */
export function Home(): ReactElement {
  const client = useClient();
  const [path] = useLocation();
  const worlds = useQuery({
    queryKey: ['worlds'],
    queryFn: ({ signal }) => readAll((after) => client.worlds({ limit: 200, ...after }, { signal })),
    refetchInterval: 30_000,
  });
  if (worlds.isPending) return <Loading what="your worlds" />;
  if (worlds.isError) return <Failed why={worlds.error.message} />;
  const items = worlds.data;
  const remembered = rememberedWorld();
  const worldId = worldOf(path) ?? items.find(({ id }) => id === remembered)?.id ?? items[0]?.id;
  if (worldId === undefined) return <EmptyHouse />;
  if (path === '/') return <Redirect to={paths.world(worldId)} replace />;
  return <InWorld key={worldId} worldId={worldId} worlds={items} />;
}

interface InWorldProps {
  worldId: string;
  worlds: readonly World[];
}

/** What a tab says it is where a world denies what nobody can be asked about (A13). */
const WEB: NewClient = { label: 'web', approvals: true };

function InWorld({ worldId, worlds }: InWorldProps): ReactElement {
  const denies = worlds.find(({ id }) => id === worldId)?.unattended === 'deny';
  useEffect(() => rememberWorld(worldId), [worldId]);
  return <Open key={String(denies)} worldId={worldId} worlds={worlds} denies={denies} />;
}

/** `denies`: what nobody can be asked about is denied here, so that the page has to say that somebody can. */
function Open({ worldId, worlds, denies }: InWorldProps & { denies: boolean }): ReactElement {
  const client = useClient();
  const [tries, setTries] = useState(1);
  const store = useOpened(
    () => openWorldView(shareStreams(client, browserTabs() ?? oneTab(), denies ? WEB : undefined), worldId),
    `${worldId} ${tries}`,
  );
  if (store === undefined) return <Loading what="the world" />;
  return (
    <WorldContext value={store}>
      <Connected store={store} onAnew={() => setTries(tries + 1)} />
      <Unattended store={store} denies={denies} />
      <There store={store} worlds={worlds} />
    </WorldContext>
  );
}

/** The world, as long as there is one: what somebody deleted can't be looked at any more. */
function There({ store, worlds }: { store: WorldStore; worlds: readonly World[] }): ReactElement {
  const isThere = useSelected(
    store,
    ({ deleted, connection }) => !deleted && !(connection.kind === 'closed' && connection.status === 404),
  );
  return isThere ? <Layout worlds={worlds} /> : <Gone worlds={worlds} />;
}

/** The list of worlds is asked for now and then; that this one wants to know who can be asked must be heard at once. */
function Unattended({ store, denies }: { store: WorldStore; denies: boolean }): null {
  const queries = useQueryClient();
  const isStale = useSelected(store, ({ world }) => world !== undefined && (world.unattended === 'deny') !== denies);
  useEffect(() => {
    if (isStale) void queries.invalidateQueries({ queryKey: ['worlds'] });
  }, [isStale, queries]);
  return null;
}

function Connected({ store, onAnew }: { store: WorldStore; onAnew: () => void }): ReactElement {
  const connection = useSelected(store, (state) => state.connection);
  // One that was closed has nobody left who could try: only another one can.
  return <Banner connection={connection} onRetry={connection.kind === 'closed' ? onAnew : () => store.retryNow()} />;
}
