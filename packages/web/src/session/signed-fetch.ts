import { SESSION_HEADER } from '@countersign/protocol';
import { earlyFetch } from './early.js';
import { currentSession, forgetSession, subscribeToSession } from './session.js';

/**
 * Sends requests with this tab's session. If the session is rejected, reads wait until the person has signed in again, so that nothing typed is
 * lost. All other requests fail: a decision must not be sent minutes after the click.
 */
export const signedFetch: typeof fetch = async (input, init = {}) => {
  for (;;) {
    const isRead = (init.method ?? 'GET') === 'GET';
    if (isRead && currentSession() === undefined) await signedIn(init.signal);
    const session = currentSession();
    const headers = new Headers(init.headers);
    if (session !== undefined) headers.set(SESSION_HEADER, session);
    const response = await earlyFetch(input, { ...init, headers });
    if (response.status !== 401) return response;
    forgetSession(session);
    if (!isRead) return response;
    await response.body?.cancel();
  }
};

/** Resolves when this tab has a session again. When the signal is aborted, rejects like `fetch`. */
async function signedIn(signal: AbortSignal | null | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = subscribeToSession(look);
    function end(): void {
      stop();
      signal?.removeEventListener('abort', abort);
    }
    function abort(): void {
      end();
      reject(new DOMException('The request was aborted.', 'AbortError'));
    }
    function look(): void {
      if (currentSession() === undefined) return;
      end();
      resolve();
    }
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    else look();
  });
}
