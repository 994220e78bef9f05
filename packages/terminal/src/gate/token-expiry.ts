import { TOKEN_EXPIRES_HEADER } from '@countersign/protocol';
import { channelFetch } from '@countersign/server/channel';

const WARN_MS = 14 * 24 * 60 * 60 * 1000;
const ANSWER_MS = 10_000;

/** The day on which a token expires, if that is within 14 days. Undefined too if the server can't be asked: other checks say so. */
export async function soonExpiry(
  { url, token }: { url: string; token: string },
  path: string,
): Promise<string | undefined> {
  try {
    const base = url.endsWith('/') ? url : `${url}/`;
    const headers = { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { headers: answered } = await channelFetch(token)(new URL(`api/${path}`, base), { headers, signal });
    const expires = answered.get(TOKEN_EXPIRES_HEADER);
    return expires !== null && Date.parse(expires) - Date.now() < WARN_MS ? expires.slice(0, 10) : undefined;
  } catch {
    return undefined;
  }
}
