import type { Client } from '@countersign/client';
import type { ComponentType, ReactElement } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead } from './frame.js';
import { shellWords } from '../words/shell.js';

type Load = () => Promise<unknown>;

const loads: Load[] = [];

/**
 * A page whose code is loaded on demand or in advance. If that fails, the rest of the app still works. `isFirst`: it is the first page, so its
 * code is loaded immediately.
 */
export function lazyView<P extends object>(
  title: string,
  load: () => Promise<ComponentType<P>>,
  isFirst = false,
): ComponentType<P> & { load: (client: Client) => Promise<unknown> } {
  let loaded: ComponentType<P> | undefined;
  const keep = async (): Promise<ComponentType<P>> => (loaded ??= await load());
  const first = isFirst ? keep() : undefined;
  // `read` retries.
  first?.catch(() => undefined);
  async function read(client: Client): Promise<{ View: ComponentType<P> }> {
    await first?.catch(() => undefined);
    // Browsers cache a failed module load until the page is reloaded, so first check that the server is up.
    if (loaded === undefined) await client.health();
    try {
      return { View: await keep() };
    } catch (cause) {
      throw new Error(shellWords.codeFailed, { cause });
    }
  }
  loads.push(keep);
  return Object.assign(LazyView, { load: read });

  function LazyView(props: P): ReactElement {
    const client = useClient();
    const code = useRead({ key: ['code', title], read: () => read(client), once: true });
    const View = loaded;
    if (View !== undefined) return <View {...props} />;
    return code.kind === 'ready' ? (
      <code.data.View {...props} />
    ) : (
      <NotRead read={code} what={shellWords.thePage} title={title} />
    );
  }
}

/** Loads the code for all pages, so that they can be opened while the server is down. */
export async function loadViews(client: Client): Promise<void> {
  await client.health();
  await Promise.all(loads.map((load) => load()));
}
