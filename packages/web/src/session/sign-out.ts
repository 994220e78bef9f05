import type { Client } from '@countersign/client';
import { currentSession, forgetSession } from './session.js';

/** Ends this browser's session. The page is loaded again, so that nothing that was on screen stays in memory. */
export async function signOut(client: Client): Promise<void> {
  const current = (await client.sessions()).items.find((session) => session.current);
  if (current !== undefined) await client.endSessions(current.id);
  forgetSession(currentSession());
  sessionStorage.clear();
  location.assign('/');
}
