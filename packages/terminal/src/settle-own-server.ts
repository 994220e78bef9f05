import type { OwnServer } from './server-door.js';
import { untilInterrupted } from './until-interrupted.js';

/** Most commands are done by then, and have nothing to explain. */
const QUIET_MS = 500;
const CUT_OFF =
  'Stopped before the agents had finished. A running call is reported as "interrupted, outcome unknown". ' +
  'Run countersign serve to continue the chat.';

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
    note(CUT_OFF);
    return false;
  }
  note('Waiting for the agents to finish. Ctrl-C stops waiting.');
  const interrupted = untilInterrupted();
  try {
    const first = await Promise.race([settled, interrupted.promise]);
    if (first === 'settled') return false;
    note(CUT_OFF);
    return true;
  } finally {
    interrupted.end();
  }
}

async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
}
