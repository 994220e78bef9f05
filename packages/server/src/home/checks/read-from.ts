import { channelFetch } from '../../channel/channel-fetch.js';
import { readToken } from '../read-token.js';

const ANSWER_MS = 10_000;

/** Reads from the API of a running server, with the token of this shell or of the home folder. */
export function readFrom(url: string, home: string, env: NodeJS.ProcessEnv): (path: string) => Promise<unknown> {
  const token = env['COUNTERSIGN_TOKEN'] || readToken(home) || '';
  return async (path) => {
    const headers = { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await channelFetch(token)(`${url}/api/${path}`, { headers, signal });
    return await response.json();
  };
}
