import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../../ports/index.js';
import { plant } from './samples.js';

interface StoreUnderTest {
  store: Store;
  /** Closes the store, runs the statement on its database behind its back, and opens it again. Absent where nothing outlives closing. */
  reopen?: (sql?: string) => Promise<Store>;
  /** Opens the same database once more at the same time, as another process would. Absent where a store has one owner. */
  another?: () => Promise<Store>;
}

export type OpenStore = () => Promise<StoreUnderTest>;

/** A fresh store with a planted world for each test, closed afterwards with all that was opened beside it. */
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
    if (opening === undefined) throw new Error('this store can not be opened a second time');
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
