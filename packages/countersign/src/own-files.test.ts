import { readFile as read } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CountersignError, editFile, grep, openWorld, readFile, writeFile } from './index.js';
import { openTestWorld } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { lastResults, obedient, propose } from './testing/obedient.js';

const inFolder = freshFolder();

describe('a store inside the working folder', () => {
  it('[SAFE1] can’t be opened by file tools, and keeps its lock and content', async () => {
    const file = inFolder('world 1.db');
    const t = await openTestWorld({
      file,
      script: obedient,
      workingDirectory: dirname(file),
      policy: ['allow *'],
      tools: [readFile(), grep(), writeFile(), editFile()],
    });
    await propose(
      t,
      { name: 'read_file', arguments: { path: 'world 1.db' } },
      { name: 'read_file', arguments: { path: './world 1.db-wal' } },
      { name: 'read_file', arguments: { path: 'world 1.db.audit-head' } },
      { name: 'write_file', arguments: { path: 'world 1.db', content: 'gone' } },
      { name: 'write_file', arguments: { path: 'world 1.db-journal', content: 'gone' } },
      { name: 'edit_file', arguments: { path: 'world 1.db', old_text: 'SQLite', new_text: 'x' } },
      { name: 'grep', arguments: { pattern: 'SQLite format' } },
    );
    const results = JSON.stringify(lastResults(t));
    expect(results.match(/belongs to Countersign; tools may not open it/g)?.length).toBeGreaterThanOrEqual(5);
    expect(results).not.toContain('SQLite format 3');
    await expect(openWorld(file)).rejects.toThrow(CountersignError);
    await t.world.close();
    expect((await read(file)).subarray(0, 15).toString()).toBe('SQLite format 3');
  });
});
