import { openWorldView } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useEffect, useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useClient, useOpened, useSelected, WorldContext } from '../data/connection.js';
import type { WorldStore } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { sayError } from '../ui/toast.js';
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

function InWorld({ worldId, worlds, onRefused }: InWorldProps): ReactElement {
  const isAlone = worlds.find(({ id }) => id === worldId)?.unattended === 'deny';
  useEffect(() => rememberWorld(worldId), [worldId]);
  return <Asked key={String(isAlone)} worldId={worldId} worlds={worlds} isAlone={isAlone} onRefused={onRefused} />;
}

/**
 * Where a world denies what nobody can be asked about, says first that somebody can be asked here (A13): a stream that was opened
 * before does not count as this client's.
 */
function Asked({ worldId, worlds, isAlone, onRefused }: InWorldProps & { isAlone: boolean }): ReactElement {
  const client = useClient();
  const [isKnown, setKnown] = useState(!isAlone);
  useEffect(() => {
    if (!isAlone) return undefined;
    const ended = new AbortController();
    client
      .registerClient(worldId, { label: 'web', approvals: true }, { signal: ended.signal })
      .catch(sayError)
      .finally(() => setKnown(true));
    return () => ended.abort();
  }, [client, worldId, isAlone]);
  return isKnown ? <Open worldId={worldId} worlds={worlds} onRefused={onRefused} /> : <Loading what="the world" />;
}

function Open({ worldId, worlds, onRefused }: InWorldProps): ReactElement {
  const client = useClient();
  const store = useOpened(() => openWorldView(client, worldId), worldId);
  if (store === undefined) return <Loading what="the world" />;
  return (
    <WorldContext value={store}>
      <Connected store={store} onRefused={onRefused} />
      <Layout worlds={worlds} />
    </WorldContext>
  );
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
