import { isAbsolute } from 'node:path';
import { ClientError, createClient, type Client } from '@countersign/client';
import { TERMINAL_AGENT } from '@countersign/protocol';
import { channelFetch } from '@countersign/server/channel';
import { CommandError } from '../command-error.js';
import { EXIT } from '../exit-codes.js';
import { followServer, type Address } from './follow-server.js';
import { findUnproven } from './find-unproven.js';
import { serverUrl } from './server-url.js';
import type { OwnServer, ServerAccess, Unfinished } from './server-access.js';
import { errors } from '../words/errors.js';

interface ConnectOptions {
  home?: string | undefined;
  url?: string | undefined;
  /** Taken only from the environment: other users can read command lines. */
  token?: string | undefined;
  /** Whether the URL may be that of another machine without TLS. */
  allowHttp?: boolean;
  /** How a server started by this command handles unfinished turns. */
  unfinished?: Unfinished;
  /** Named in another process's error if the home folder is in use. */
  command?: string;
}

export interface Connected {
  client: Client;
  /** The server that this command started, if any. */
  own(): OwnServer | undefined;
  /** Whether a server is running on the home folder. False if a URL was given: the command then uses no other server. */
  isServed: () => Promise<boolean>;
  close(): Promise<void>;
}

const TRIES = 20;
const PAUSE_MS = 150;
/** How long a request waits for a `countersign serve` that is being restarted. */
const RESTART_MS = 10_000;
/** Timeout for the first response from a server. */
const FIRST_ANSWER_MS = 30_000;

/**
 * Connects to the server at the URL or to the one on this home folder, or starts one. If two commands start at the same time, the one that
 * loses the race for the home folder uses the other's server.
 */
export async function connect(
  servers: ServerAccess,
  { home: named, url: given, token, allowHttp = false, unfinished = 'leave', command = 'countersign' }: ConnectOptions,
  say: (line: string) => void,
): Promise<Connected> {
  const url = given === undefined ? undefined : serverUrl(given, allowHttp);
  // If both are given, nothing else has to be loaded.
  if (url !== undefined && token !== undefined) return await talkTo(url, token);
  const home = named ?? (await servers.defaultHome());
  if (!isAbsolute(home)) {
    // A relative path would depend on the current folder, where someone may have planted files.
    throw new CommandError(errors.relativeHome(home));
  }
  if (url !== undefined) return await talkTo(url, await servers.readToken(home));

  const own: OwnServer[] = [];
  const find = async (): Promise<Address | undefined> => {
    const running = await servers.find(home);
    if (running === undefined) return undefined;
    return { ...running, token: known(running.url, token ?? (await servers.readToken(home))) };
  };
  const findOrStart = async (): Promise<Address> => {
    for (let attempt = 0; ; attempt += 1) {
      const running = await find();
      if (running !== undefined) return running;
      try {
        const server = await servers.start(home, { unfinished, command }, say);
        own.push(server);
        return { url: server.url, token: server.token, startedBy: 'command' };
      } catch (error) {
        if (!isLocked(error) || attempt >= TRIES) throw error;
      }
      await pause();
    }
  };
  /** Never replaces a `countersign serve`: its restart would find the home folder in use, and this command may lack its API keys. */
  const findNext = async ({ startedBy }: Address): Promise<Address> => {
    if (startedBy === 'command') return await findOrStart();
    for (const end = Date.now() + RESTART_MS; Date.now() < end; await pause()) {
      const running = await find();
      if (running !== undefined) return running;
    }
    throw new CommandError(errors.noServer, EXIT.failed);
  };
  const first = await findOrStart();
  const { fetch } = followServer(first, findNext);
  return {
    client: createClient({ url: first.url, token: first.token, fetch, userAgent: TERMINAL_AGENT }),
    own: () => own.at(-1),
    isServed: async () => (await servers.find(home)) !== undefined,
    async close() {
      for (const server of own.splice(0)) await server.close();
    },
  };
}

async function talkTo(url: string, given: string | undefined): Promise<Connected> {
  const token = known(url, given);
  const client = createClient({ url, token, fetch: channelFetch(token), userAgent: TERMINAL_AGENT });
  try {
    await client.health({ signal: AbortSignal.timeout(FIRST_ANSWER_MS) });
  } catch (error) {
    if (!(error instanceof ClientError) || findUnproven(error) !== undefined) throw error;
    if (error.kind === 'network' || error.kind === 'aborted') {
      throw new CommandError(errors.noAnswer(url), EXIT.failed, error);
    }
    // If it is a Countersign server that is unavailable, its own error says so.
    if (error.kind === 'unreadable' || error.cause !== undefined) {
      throw new CommandError(errors.notOurs(url), EXIT.failed, error);
    }
  }
  return { client, own: () => undefined, isServed: () => Promise.resolve(false), close: () => Promise.resolve() };
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
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
