import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '@countersign/core/testing/store-contract';
import { DatabaseSync } from '@photostructure/sqlite';
import { onTestFinished } from 'vitest';
import { isFullSize } from '../../../../tests/support/scaled.js';
import { openSqlite } from './open.js';

// Most tests use a store in memory, so `npm test` checks only the one in a file.
if (isFullSize)
  describeStore('SQLite in memory', async () => ({ store: await openSqlite(':memory:') }), {
    outlive: false,
    share: false,
  });

describeStore(
  'SQLite in a file',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'store.db');
    let store = await openSqlite(file, { synchronous: 'NORMAL' });
    return {
      store,
      async reopen(sql) {
        await store.close();
        if (sql !== undefined) {
          const db = new DatabaseSync(file);
          db.exec(sql);
          db.close();
        }
        store = await openSqlite(file, { synchronous: 'NORMAL' });
        return store;
      },
    };
  },
  { outlive: true, share: false },
);
