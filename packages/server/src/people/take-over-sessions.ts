import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { registerOwnFile, type PersonRecord, type Store } from '@countersign/core/ports';
import { z } from 'zod';
import type { Log } from '../app/context.js';
import { readPrivate } from '../home/private-file.js';
import { SESSION_LIFETIMES } from './credentials.js';

const hex = (length: number): z.ZodString => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`));
const fileSchema = z.strictObject({
  version: z.literal(1),
  sessions: z.array(
    z.strictObject({
      id: hex(8),
      cookieHash: hex(64),
      headerHash: hex(64),
      createdAt: z.number(),
      usedAt: z.number(),
    }),
  ),
});

/** Earlier versions kept the sessions of their only user in a file. They become sessions of the owner. */
export async function takeOverSessions(
  store: Pick<Store, 'transact'>,
  home: string,
  owner: PersonRecord,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const file = join(home, 'sessions.json');
  registerOwnFile(file);
  const text = readPrivate(file);
  if (text === undefined) return;
  const read = readSessions(text);
  if (read === undefined) log.warn('Saved sessions could not be read. Browsers have to open a new start link');
  await store.transact('', async (tx) => {
    for (const { id, cookieHash, headerHash, createdAt, usedAt } of read ?? []) {
      // The start was interrupted after the sessions had been copied.
      if ((await tx.credential(id)) !== undefined) continue;
      await tx.insertCredential({
        id,
        personId: owner.id,
        kind: 'session',
        name: 'a browser',
        hash: cookieHash,
        data: { headerHash },
        parentId: null,
        createdAt,
        usedAt,
        expiresAt: usedAt + SESSION_LIFETIMES.idleMs,
        endedAt: null,
      });
    }
  });
  rmSync(file, { force: true });
}

function readSessions(text: string): z.infer<typeof fileSchema>['sessions'] | undefined {
  try {
    return fileSchema.parse(JSON.parse(text)).sessions;
  } catch {
    return undefined;
  }
}
