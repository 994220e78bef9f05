import pg from 'pg';

/** PostgreSQL takes a payload of less than 8,000 bytes. */
export const HINT_LIMIT_BYTES = 7_900;
/** More than this behind, hints are dropped: they save looking into the log, and are not worth memory without end. */
const LONGEST_QUEUE = 10_000;
const AT_ONCE = 200;
const RECONNECT_MS = 500;

/** Sends what has gathered since the last answer together: a notification for each event alone would cost a round trip each. */
export function createHintSender(pool: pg.Pool, channel: string): (text: string) => void {
  let waiting: string[] = [];
  let sending = false;

  async function send(): Promise<void> {
    sending = true;
    while (waiting.length > 0) {
      const now = waiting.splice(0, AT_ONCE);
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
): Promise<() => Promise<void>> {
  let ended = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ ...settings, keepAlive: true });
    let lost = false;
    const onLost = (): void => {
      if (lost) return;
      lost = true;
      if (client === fresh) client = undefined;
      if (!ended) again();
    };
    fresh.on('error', onLost);
    fresh.on('end', onLost);
    fresh.on('notification', ({ payload }) => listener(payload ?? ''));
    await fresh.connect();
    await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
    client = fresh;
    if (ended) await fresh.end();
  }

  function again(): void {
    retry = setTimeout(() => {
      connect().then(missed, () => {
        if (!ended) again();
      });
    }, RECONNECT_MS);
    retry.unref();
  }

  await connect();
  return async () => {
    ended = true;
    clearTimeout(retry);
    await client?.end();
  };
}
