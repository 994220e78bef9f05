import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client } from '@countersign/client';
import type { SentAttachment } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { errors } from '../words/errors.js';

/** As many as a message can have. */
const MOST = 8;

/** Stores files of this machine in a chat, all or none of them read. */
export async function attachFiles(
  client: Client,
  { world, chat }: { world: string; chat: string },
  paths: readonly string[],
): Promise<SentAttachment[]> {
  if (paths.length > MOST) throw new CommandError(errors.tooManyFiles(MOST));
  const files: { name: string; base64: string }[] = [];
  for (const path of paths) files.push({ name: basename(path), base64: (await read(path)).toString('base64') });
  const sent: SentAttachment[] = [];
  for (const file of files) {
    const { id, name } = await client.attach(world, chat, file);
    sent.push({ id, name });
  }
  return sent;
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandError(errors.cannotRead(path, error instanceof Error ? error.message : String(error)));
  }
}
