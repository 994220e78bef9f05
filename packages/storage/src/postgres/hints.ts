import pg from 'pg';
import type { HintSeal } from './seal-hints.js';

/** More than this behind, hints are dropped: they save looking into the log, and are not worth memory without end. */
const LONGEST_QUEUE = 10_000;
const AT_ONCE = 200;
const RECONNECT_MS = 500;
const ASK_MS = 5_000;
const ANSWER_MS = 4_000;

/** Sends what has gathered since the last answer together: a notification for each event alone would cost a round trip each. */
export function createHintSender(pool: pg.Pool, channel: string, hintSeal: HintSeal): (text: string) => void {
  let waiting: string[] = [];
  let sending = false;

  async function send(): Promise<void> {
    sending = true;
    while (waiting.length > 0) {
      const now = waiting.splice(0, AT_ONCE).map((text) => hintSeal.seal(text));
      try {
        await pool.query('select pg_notify($1, hint) from unnest($2::text[]) as hint', [channel, now]);
      } catch {
        // The database is away: what was hinted is in the log, and everybody looks there when it is back.
        waiting = [];
      }
    }
    sending = false;
  }

  return (text) => {
    if (waiting.length >= LONGEST_QUEUE) waiting = [];
    waiting.push(text);
    if (!sending) queueMicrotask(() => void (sending ? undefined : send()));
  };
}

/** Listens on a connection of its own, which is made anew when it is lost; `missed` is called then. */
export async function hearHints(
  settings: pg.ClientConfig,
  channel: string,
  listener: (hint: string) => void,
  missed: () => void,
  { askMs = ASK_MS, answerMs = ANSWER_MS } = {},
): Promise<() => Promise<void>> {
  let ended = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Rejects, or calls `onLost` once. */
  async function connect(onLost: () => void): Promise<void> {
    const fresh = new pg.Client({ ...settings, keepAlive: true, query_timeout: answerMs });
    const lost = new Promise<void>((resolve) => {
      fresh.on('error', () => resolve());
      fresh.on('end', () => resolve());
    });
    fresh.on('notification', ({ payload }) => listener(payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      letGo(fresh);
      throw error;
    }
    client = fresh;
    lost.then(() => {
      letGo(fresh);
      onLost();
    }, ignore);
    if (ended) await fresh.end();
  }

  function later(ms: number, act: () => void): void {
    clearTimeout(timer);
    if (ended) return;
    timer = setTimeout(act, ms);
    timer.unref();
  }

  // One try at a time: a try that fails both rejects and ends, and one for each would double them with every round.
  function tryAgain(): void {
    client = undefined;
    later(RECONNECT_MS, () => {
      connect(tryAgain).then(() => {
        ask();
        missed();
      }, tryAgain);
    });
  }

  /** A way that was cut without a word never says so: unasked, this process would hear nothing until its system gives up. */
  function ask(): void {
    later(askMs, () => {
      const asked = client;
      asked?.query('select 1').then(
        () => (client === asked ? ask() : undefined),
        () => letGo(asked),
      );
    });
  }

  await connect(tryAgain);
  ask();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await client?.end();
  };
}

/** Ends a connection that may not answer any more. Its `end` follows. */
function letGo(client: pg.Client): void {
  client.on('error', ignore);
  client.end().catch(ignore);
  client.connection.stream.destroy();
}

function ignore(): void {}
