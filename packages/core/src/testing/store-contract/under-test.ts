import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../../ports/index.js';
import { plant } from './samples.js';

interface StoreUnderTest {
  store: Store;
  /** Closes the store, runs a statement directly on its database, and reopens it. Absent if data doesn't survive closing. */
  reopen?: (sql?: string) => Promise<Store>;
  /** Opens the same database again, like another process. Absent if a store has a single owner. */
  another?: () => Promise<Store>;
}

export type OpenStore = () => Promise<StoreUnderTest>;

/** Creates a store with a sample world for each test, and closes everything afterwards. */
export function freshStore(open: OpenStore): {
  store: () => Store;
  reopen: (sql?: string) => Promise<Store>;
  another: () => Promise<Store>;
} {
  let current: StoreUnderTest | undefined;
  let opened: Store[] = [];
  const get = (): StoreUnderTest => {
    if (current === undefined) throw new Error('no store is open');
    return current;
  };
  const remember = async (opening: Promise<Store> | undefined): Promise<Store> => {
    if (opening === undefined) throw new Error('this store does not support a second connection');
    const store = await opening;
    opened.push(store);
    return store;
  };

  beforeEach(async () => {
    current = await open();
    opened = [current.store];
    await plant(current.store);
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
  });
  return {
    store: () => get().store,
    reopen: (sql) => remember(get().reopen?.(sql)),
    another: () => remember(get().another?.()),
  };
}
