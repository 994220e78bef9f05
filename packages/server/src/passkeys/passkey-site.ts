import type { AppContext, AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';

/** The site that passkeys belong to: the host of the public URL, or `localhost`. */
export interface PasskeySite {
  rpId: string;
  /** The origin of the page that sent the request. */
  origin: string;
}

/** Throws if the request doesn't come from a page of that site: browsers refuse passkeys for another host, and for IP addresses. */
export function passkeySite(c: AppRequest, { auth, publicUrl }: Pick<AppContext, 'auth' | 'publicUrl'>): PasskeySite {
  const origin = c.req.header('origin');
  if (origin === undefined || !auth.isOurOrigin(origin)) throw new HttpProblem(409, problemTexts.passkeyInBrowser);
  const here = new URL(origin);
  if (publicUrl !== undefined) {
    if (origin !== publicUrl) throw new HttpProblem(409, problemTexts.passkeySite(publicUrl));
    return { rpId: here.hostname, origin };
  }
  if (here.hostname === 'localhost') return { rpId: 'localhost', origin };
  const isLoopback = here.hostname === '[::1]' || here.hostname.startsWith('127.');
  const port = here.port === '' ? '' : `:${here.port}`;
  const detail = isLoopback ? problemTexts.passkeySite(`http://localhost${port}`) : problemTexts.passkeyNeedsUrl;
  throw new HttpProblem(409, detail);
}
