import { ClientError } from './http/client-error.js';
import type { Client } from './http/client.js';

/** The id that this client's messages and decisions are signed with. Undefined if the server doesn't say, such as a mounted API without `GET /me`. */
export async function readerId(client: Pick<Client, 'me'>): Promise<string | undefined> {
  try {
    return (await client.me()).id;
  } catch (error) {
    if (error instanceof ClientError) return undefined;
    throw error;
  }
}
