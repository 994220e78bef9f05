import { exportFileName, type Client } from '@countersign/client';
import { writeNew } from '../put-out.js';

/** Writes a chat to a new file, as JSON if its name ends like that. Returns the name. */
export async function exportChat(client: Client, world: string, chat: string, file: string): Promise<string> {
  const name = file === '' ? exportFileName((await client.chat(world, chat)).title, 'md') : file;
  await writeNew(name, await client.exportChat(world, chat, /\.json$/i.test(name) ? 'json' : 'md'));
  return name;
}
