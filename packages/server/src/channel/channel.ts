import { isLoopback } from '../auth/check-host.js';

export { acceptChannels } from './accept-channels.js';
export { channelFetch } from './channel-fetch.js';
export { ChannelError, openChannel } from './open-channel.js';

/** Plain HTTP to another machine. A channel protects our requests, but not the browser that opens the server's links. */
export function isPlainRemote({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopback(hostname);
}
