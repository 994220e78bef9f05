import type { OwnServer } from './server-access.js';
import { untilInterrupted } from '../input/until-interrupted.js';
import { chatWords } from '../words/chat.js';

/** Most commands settle within this time and print nothing. */
const QUIET_MS = 500;

/**
 * Waits until the work in our own server has settled: closing earlier would kill running tools. Resolves to true if a signal interrupted the
 * wait.
 */
export async function settleOwnServer(
  server: Pick<OwnServer, 'isWorking' | 'settled'>,
  isLeaving: boolean,
  note: (line: string) => void,
): Promise<boolean> {
  if (!server.isWorking()) return false;
  const settled = server.settled().then(() => 'settled' as const);
  if ((await Promise.race([settled, after(QUIET_MS)])) === 'settled') return false;
  if (isLeaving) {
    note(chatWords.cutOff);
    return false;
  }
  note(chatWords.waitingForAgents);
  const interrupted = untilInterrupted();
  try {
    const first = await Promise.race([settled, interrupted.promise]);
    if (first === 'settled') return false;
    note(chatWords.cutOff);
    return true;
  } finally {
    interrupted.end();
  }
}

async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
}
