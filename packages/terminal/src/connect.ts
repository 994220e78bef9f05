import { isAbsolute } from 'node:path';
import { ClientError, createClient, type Client } from '@countersign/client';
import { CommandError } from './command-error.js';
import { EXIT } from './exit-codes.js';
import { followServer, type Address } from './follow-server.js';
import type { OwnServer, ServerDoor, Unfinished } from './server-door.js';
import { errors } from './words/errors.js';

export interface Whereabouts {
  home?: string | undefined;
  url?: string | undefined;
  /** From the environment only: on a command line everybody on the machine could read it. */
  token?: string | undefined;
  /** For a server of our own. */
  unfinished?: Unfinished;
  /** Who says so where the home is in use. */
  command?: string;
}

export interface Connected {
  client: Client;
  /** The server that this command brought, if it did. */
  own(): OwnServer | undefined;
  close(): Promise<void>;
}

const TRIES = 20;
const PAUSE_MS = 150;
/** What listens at an address and never says a word is no server either. */
const FIRST_ANSWER_MS = 30_000;

/**
 * A client of the server that is meant: the one at the URL, the one that runs on the home, or one inside this command. Two commands
 * that start at once find each other: who loses the race for the home talks to who won it.
 */
export async function connect(
  door: ServerDoor,
  { home: named, url, token, unfinished = 'leave', command = 'countersign' }: Whereabouts,
  say: (line: string) => void,
): Promise<Connected> {
  // Nothing else is needed then, and nothing else is loaded.
  if (url !== undefined && token !== undefined) return await talkTo(checked(url), token);
  const home = named ?? (await door.defaultHome());
  if (!isAbsolute(home)) {
    // Looked up from here it would be whatever folder this is, with whatever somebody has put there to be found.
    throw new CommandError(errors.relativeHome(home));
  }
  if (url !== undefined) return await talkTo(checked(url), await door.readToken(home));

  const own: OwnServer[] = [];
  const locate = async (patienceMs: number): Promise<Address> => {
    const end = Date.now() + patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      const running = await door.find(home);
      if (running !== undefined)
        return { url: running.url, token: known(running.url, token ?? (await door.readToken(home))) };
      try {
        if (Date.now() >= end) {
          const server = await door.start(home, { unfinished, command }, say);
          own.push(server);
          return { url: server.url, token: server.token };
        }
      } catch (error) {
        if (!isLocked(error) || attempt >= TRIES) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const first = await locate(0);
  const following = followServer(first, locate);
  return {
    client: createClient({ ...first, fetch: following.fetch }),
    own: () => own.at(-1),
    async close() {
      for (const server of own.splice(0)) await server.close();
    },
  };
}

/** Without what may stand behind the host: a path, or a start link that was copied with its ticket. */
function checked(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandError(errors.invalidUrl(url));
  }
  return parsed.origin;
}

async function talkTo(url: string, token: string | undefined): Promise<Connected> {
  const client = createClient({ url, token: known(url, token) });
  try {
    await client.health({ signal: AbortSignal.timeout(FIRST_ANSWER_MS) });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.kind === 'network' || error.kind === 'aborted') {
      throw new CommandError(errors.noAnswer(url), EXIT.failed, error);
    }
    // One of ours that can't work just now says so itself.
    if (error.kind === 'unreadable' || error.cause !== undefined) {
      throw new CommandError(errors.notOurs(url), EXIT.failed, error);
    }
  }
  return { client, own: () => undefined, close: () => Promise.resolve() };
}

function known(url: string, token: string | undefined): string {
  if (token !== undefined) {
    if (/^[\x21-\x7E]+$/.test(token)) return token;
    // Not the word itself: most of it may be a secret.
    throw new CommandError(errors.badToken);
  }
  throw new CommandError(errors.noToken(url), EXIT.failed);
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'store-locked';
}
