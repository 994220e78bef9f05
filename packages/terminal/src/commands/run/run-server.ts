import { setTimeout } from 'node:timers/promises';
import { ClientError, createRunClient, isLocalLink, type RunClient } from '@countersign/client';
import { TERMINAL_AGENT } from '@countersign/protocol';
import { channelFetch } from '@countersign/server/channel';
import { CommandError } from '../../command-error.js';
import { mayUseHttp, serverUrl } from '../../connection/server-url.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { runWords as words } from '../../words/run.js';

/** The server of a run. It is never started here: the process that supervises a run must not apply anything. */
export interface RunServer {
  ask<T>(act: (client: RunClient) => Promise<T>): Promise<T>;
  /** Waits for a server that is away, and asks again when it is back. `act` must be harmless to repeat. */
  askPatiently<T>(act: (client: RunClient) => Promise<T>, signal: AbortSignal): Promise<T>;
}

const PAUSE_MS = 1_000;

export function openRunServer(context: CommandContext): RunServer {
  let isAway = false;
  let client: RunClient | undefined;
  const ask: RunServer['ask'] = async (act) => {
    client ??= await connectToServer(context);
    if (client === undefined) throw new CommandError(words.noServer, EXIT.failed);
    try {
      return await act(client);
    } catch (error) {
      // A server that was restarted has another port, and perhaps another token.
      if (mayPass(error)) client = undefined;
      throw error;
    }
  };
  return {
    ask,
    async askPatiently(act, signal) {
      for (;;) {
        signal.throwIfAborted();
        try {
          const answer = await ask(act);
          isAway = false;
          return answer;
        } catch (error) {
          if (!mayPass(error)) throw error;
        }
        if (!isAway) context.note(words.away);
        isAway = true;
        await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

async function connectToServer({ servers, options, console: { env } }: CommandContext): Promise<RunClient | undefined> {
  const given = options.url ?? nonEmpty(env['COUNTERSIGN_URL']);
  const home = options.home ?? (await servers.defaultHome());
  const url = given === undefined ? (await servers.find(home))?.url : serverUrl(given, mayUseHttp(options, env));
  if (url === undefined) return undefined;
  if (!isLocalLink(url)) throw new CommandError(words.notHere(url));
  const token = nonEmpty(env['COUNTERSIGN_TOKEN']) ?? (await servers.readToken(home));
  if (token === undefined) return undefined;
  return createRunClient({ url, token, fetch: channelFetch(token), userAgent: TERMINAL_AGENT });
}

/** Whether the same request may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof CommandError) return error.message === words.noServer;
  if (!(error instanceof ClientError)) return false;
  return error.kind === 'network' || error.status === 401 || (error.status ?? 0) >= 500;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
