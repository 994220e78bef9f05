import type { OwnServer } from './server-door.js';
import { untilInterrupted } from './until-interrupted.js';
import { chatWords } from './words/chat.js';

/** Most commands are done by then, and have nothing to explain. */
const QUIET_MS = 500;

/**
 * Waits until what a command caused in its own server has settled: closed earlier, the server would kill the tools it runs. True: a
 * signal cut the wait short.
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
