import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acceptChannels } from '@countersign/server/channel';

/** A server on this machine that proves itself to clients with this token. */
export async function listenInChannels(
  token: string,
  answer: RequestListener,
): Promise<{ server: Server; url: string }> {
  const server = createServer(answer);
  const hash = createHash('sha256').update(token).digest();
  acceptChannels(server, { hashOf: () => Promise.resolve(hash) });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
