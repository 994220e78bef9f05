import { isAbsolute } from 'node:path';
import { ClientError, createClient, type Client } from '@countersign/client';
import { CommandError } from './command-error.js';
import { EXIT } from './exit-codes.js';
import { followServer, type Address } from './follow-server.js';
import type { OwnServer, ServerAccess, Unfinished } from './server-access.js';
import { errors } from './words/errors.js';

export interface ConnectOptions {
  home?: string | undefined;
  url?: string | undefined;
  /** Only from the environment: other users can read command lines. */
  token?: string | undefined;
  /** For a server that this command starts. */
  unfinished?: Unfinished;
  /** Named in the error when the home is in use. */
  command?: string;
}

export interface Connected {
  client: Client;
  /** The server that this command started, if any. */
  own(): OwnServer | undefined;
  close(): Promise<void>;
}

const TRIES = 20;
const PAUSE_MS = 150;
/** Timeout for the first answer of a server. */
const FIRST_ANSWER_MS = 30_000;

/**
 * Connects to the server at the URL, to the one on this home, or starts one. If two commands start at once, the one that loses the race
 * for the home uses the other's server.
 */
export async function connect(
  servers: ServerAccess,
  { home: named, url, token, unfinished = 'leave', command = 'countersign' }: ConnectOptions,
  say: (line: string) => void,
): Promise<Connected> {
  // With both, nothing else has to be loaded.
  if (url !== undefined && token !== undefined) return await talkTo(checked(url), token);
  const home = named ?? (await servers.defaultHome());
  if (!isAbsolute(home)) {
    // A relative home would depend on the current folder, where someone may have planted files.
    throw new CommandError(errors.relativeHome(home));
  }
  if (url !== undefined) return await talkTo(checked(url), await servers.readToken(home));

  const own: OwnServer[] = [];
  const locate = async (patienceMs: number): Promise<Address> => {
    const end = Date.now() + patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      const running = await servers.find(home);
      if (running !== undefined)
        return { url: running.url, token: known(running.url, token ?? (await servers.readToken(home))) };
      try {
        if (Date.now() >= end) {
          const server = await servers.start(home, { unfinished, command }, say);
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

/** Drops a path, or the ticket of a copied start link. */
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
    // A Countersign server that is unavailable reports that itself.
    if (error.kind === 'unreadable' || error.cause !== undefined) {
      throw new CommandError(errors.notOurs(url), EXIT.failed, error);
    }
  }
  return { client, own: () => undefined, close: () => Promise.resolve() };
}

function known(url: string, token: string | undefined): string {
  if (token !== undefined) {
    if (/^[\x21-\x7E]+$/.test(token)) return token;
    // Don't print the value: it may be a secret.
    throw new CommandError(errors.badToken);
  }
  throw new CommandError(errors.noToken(url), EXIT.failed);
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'store-locked';
}
