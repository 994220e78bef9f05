import { resolve } from 'node:path';
import type { Client } from '@countersign/client';
import type { Connected } from './connection/connect.js';
import { mayUseHttp } from './connection/server-url.js';
import { sizeOf, type Console } from './console.js';
import type { CommandContext, GlobalOptions } from './context.js';
import type { ServerAccess, Unfinished } from './connection/server-access.js';
import { settleOwnServer } from './connection/settle-own-server.js';
import { paintFor } from './text/paint.js';
import { exactJson, plainText } from './text/plain-text.js';
import { wrapNote } from './text/wrap-note.js';

export interface ProgramInput {
  readonly console: Console;
  readonly servers: ServerAccess;
  readonly version: string;
}

export interface OpenContext extends CommandContext {
  /** Stops our own server once its work has settled. Resolves to true if a signal interrupted the wait. */
  close(): Promise<boolean>;
}

export function createContext({ console, servers, version }: ProgramInput, options: GlobalOptions): OpenContext {
  const { stdin, stdout, stderr, env } = console;
  let connecting: Promise<Connected> | undefined;
  let wanted: Unfinished = 'leave';
  let isLeaving = false;
  const url = options.url ?? nonEmpty(env['COUNTERSIGN_URL']);
  const named = options.command === undefined ? {} : { command: options.command };
  const token = nonEmpty(env['COUNTERSIGN_TOKEN']);
  const allowHttp = mayUseHttp(options, env);
  const note = (line: string): void => {
    const text = plainText(line);
    stderr.write(`${stderr.isTTY ? wrapNote(text, sizeOf(stderr).columns) : text}\n`);
  };

  function put(text: string, format: 'json' | 'text'): void {
    // Escape JSON in pipes too: `| less` and `| jq` show their output on a terminal, and escaped JSON is equivalent.
    if (format === 'json') stdout.write(exactJson(text));
    else stdout.write(stdout.isTTY ? plainText(text) : text);
  }

  function open(): Promise<Connected> {
    const home = options.home === undefined || options.home === '' ? options.home : resolve(options.home);
    const given = { home, url, token, allowHttp, unfinished: wanted, ...named };
    connecting = import('./connection/connect.js').then(({ connect }) => connect(servers, given, note));
    // The caller reports the error; this only prevents an unhandled rejection.
    connecting.catch(() => undefined);
    return connecting;
  }

  async function closeServer(): Promise<void> {
    const connected = await connecting?.catch(() => undefined);
    connecting = undefined;
    await connected?.close();
  }

  return {
    console,
    servers,
    version,
    options,
    paint: paintFor(stdout, console),
    isPerson: stdin.isTTY && stdout.isTTY && !options.json,
    columns: () => (stdout.isTTY ? sizeOf(stdout).columns : undefined),
    say: (line) => void stdout.write(`${line}\n`),
    note,
    json: (value) => put(`${JSON.stringify(value, null, stdout.isTTY ? 2 : 0)}\n`, 'json'),
    jsonLine: (value) => put(`${JSON.stringify(value)}\n`, 'json'),
    put,
    async client(unfinished = 'leave'): Promise<Client> {
      if (connecting === undefined) wanted = unfinished;
      return (await (connecting ?? open())).client;
    },
    async ownServer() {
      return (await connecting)?.own();
    },
    async endsSoon() {
      return wanted === 'leave' && (await connecting)?.own() !== undefined;
    },
    leave() {
      isLeaving = true;
    },
    async isServed() {
      return (await connecting)?.isServed() ?? false;
    },
    async close() {
      const own = (await Promise.race([connecting?.catch(() => undefined), patience()]))?.own();
      const wasCut = own === undefined ? false : await settleOwnServer(own, isLeaving, note);
      await Promise.race([closeServer(), patience()]);
      return wasCut;
    },
  };
}

/** The time limit for closing: a person who leaves gets the prompt back soon, and nothing is lost (STORE3). */
const PATIENCE_MS = 4_500;

async function patience(): Promise<undefined> {
  return await new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS).unref());
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
