import { resolve } from 'node:path';
import type { Client } from '@countersign/client';
import { connect, type Connected } from './connect.js';
import { sizeOf, type Console } from './console.js';
import type { CommandContext, GlobalOptions } from './context.js';
import type { ServerDoor, Unfinished } from './server-door.js';
import { settleOwnServer } from './settle-own-server.js';
import { paintFor } from './text/paint.js';
import { exactJson, plainText } from './text/plain-text.js';

export interface Surroundings {
  readonly console: Console;
  readonly door: ServerDoor;
  readonly version: string;
}

export interface OpenContext extends CommandContext {
  /** Ends the server that this command brought, once what it caused has settled. True: that was cut short by a signal. */
  close(): Promise<boolean>;
}

export function createContext({ console, door, version }: Surroundings, options: GlobalOptions): OpenContext {
  const { stdin, stdout, stderr, env } = console;
  let connecting: Promise<Connected> | undefined;
  let wanted: Unfinished = 'leave';
  let isLeaving = false;
  const url = options.url ?? nonEmpty(env['COUNTERSIGN_URL']);
  const named = options.command === undefined ? {} : { command: options.command };
  const token = nonEmpty(env['COUNTERSIGN_TOKEN']);
  const note = (line: string): void => void stderr.write(`${plainText(line)}\n`);

  function put(text: string, format: 'json' | 'text'): void {
    // Also into a pipe: `| less` and `| jq` end at a terminal, and JSON means the same when it is escaped.
    if (format === 'json') stdout.write(exactJson(text));
    else stdout.write(stdout.isTTY ? plainText(text) : text);
  }

  function open(): Promise<Connected> {
    const home = options.home === undefined || options.home === '' ? options.home : resolve(options.home);
    connecting = connect(door, { home, url, token, unfinished: wanted, ...named }, note);
    // Told by who waits for it; here it only must not go unheard.
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
    door,
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
    async reconnect() {
      if (url !== undefined) return undefined;
      await closeServer();
      return (await open()).client;
    },
    async close() {
      const own = (await Promise.race([connecting?.catch(() => undefined), patience()]))?.own();
      const wasCut = own === undefined ? false : await settleOwnServer(own, isLeaving, note);
      await Promise.race([closeServer(), patience()]);
      return wasCut;
    },
  };
}

/** A person who leaves gets their prompt back, whatever a server does that is just being looked for or closed: nothing is lost by it (S3). */
const PATIENCE_MS = 4_500;

async function patience(): Promise<undefined> {
  return await new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS).unref());
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
