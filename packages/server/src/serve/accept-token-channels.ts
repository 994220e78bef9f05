import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Store } from '@countersign/core/ports';
import { hashSecret } from '../auth/secrets.js';
import { acceptChannels } from '../channel/accept-channels.js';
import { SERVER_TOKEN_ID } from '../channel/channel-key.js';
import { hashOfToken } from '../people/credentials.js';

/** Proves this server to the holders of its own token and of personal tokens. Requests with a revoked one are refused inside the channel. */
export function acceptTokenChannels(
  server: Server,
  { token, store, onProven }: { token: string; store: Store; onProven?: (socket: Socket) => void },
): void {
  const own = hashSecret(token);
  acceptChannels(server, {
    hashOf: async (id) => (id === SERVER_TOKEN_ID ? own : await hashOfToken(store, id)),
    ...(onProven === undefined ? {} : { onProven }),
  });
}
