import pg from 'pg';
import type { HintSeal } from './seal-hints.js';

/** Hints beyond this queue length are dropped: they only save processes from polling the log. */
const MAX_QUEUE = 10_000;
const AT_ONCE = 200;
const RECONNECT_MS = 500;
const ASK_MS = 5_000;
const ANSWER_MS = 4_000;

/** Batches hints while a notification is in flight: one round trip per event would be too slow. */
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
        // The database is down. Hints may be lost: every process reads the log once it is back.
        waiting = [];
      }
    }
    sending = false;
  }

  return (text) => {
    if (waiting.length >= MAX_QUEUE) waiting = [];
    waiting.push(text);
    if (!sending) queueMicrotask(() => void (sending ? undefined : send()));
  };
}

/** Listens on its own connection, which reconnects when lost and then calls `missed`. */
export async function listenForHints(
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
      destroy(fresh);
      throw error;
    }
    client = fresh;
    lost.then(() => {
      destroy(fresh);
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

  // One attempt at a time: a failed attempt both rejects and emits `end`, and reacting to both would double the attempts each round.
  function tryAgain(): void {
    client = undefined;
    later(RECONNECT_MS, () => {
      connect(tryAgain).then(() => {
        ask();
        missed();
      }, tryAgain);
    });
  }

  /** Pings the connection: otherwise, a silently dropped connection would go unnoticed until the system's timeout. */
  function ask(): void {
    later(askMs, () => {
      const asked = client;
      asked?.query('select 1').then(
        () => (client === asked ? ask() : undefined),
        () => destroy(asked),
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

/** Closes a connection that may no longer respond. Its `end` event follows. */
function destroy(client: pg.Client): void {
  client.on('error', ignore);
  client.end().catch(ignore);
  client.connection.stream.destroy();
}

function ignore(): void {}
