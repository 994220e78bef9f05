import type { Client } from '@countersign/client';
import type { Console } from './console.js';
import type { OwnServer, ServerDoor, Unfinished } from './server-door.js';
import type { Paint } from './text/paint.js';

/** What every command is given. */
export interface CommandContext {
  readonly console: Console;
  readonly door: ServerDoor;
  readonly version: string;
  /**
   * Connects when first asked, so that `--help` and a mistyped flag start nothing. Closed when the command has ended. `take-up` is for a
   * command that a person stays in: its own server continues what an earlier process left unfinished.
   */
  client(unfinished?: Unfinished): Promise<Client>;
  /** The server that this command brought, if it did. */
  ownServer(): Promise<OwnServer | undefined>;
  /** Our own server ends with this command and looks after no chat but those it acts in: others wait for the next server. */
  endsSoon(): Promise<boolean>;
  /** The person leaves: what still runs in our own server is cut off when the command ends, instead of waited for. They are told. */
  leave(): void;
  /**
   * Reconnects after a server has gone: to the one that runs on the home now, or to one of its own. Undefined where an address was
   * named: then that one is meant and no other.
   */
  reconnect(): Promise<Client | undefined>;
  readonly options: GlobalOptions;
  /** A line on standard output. */
  readonly say: (line: string) => void;
  /** A line on standard error: what is not the result itself. */
  readonly note: (line: string) => void;
  /** The result as one JSON document. */
  readonly json: (value: unknown) => void;
  /** One of many, as a line of JSON. */
  readonly jsonLine: (value: unknown) => void;
  /** Text that is kept or read by programs, as it is; on a terminal, with what it hides shown. */
  readonly put: (text: string, format: 'json' | 'text') => void;
  readonly paint: Paint;
  /** Whether somebody sits here who can be asked. */
  readonly isPerson: boolean;
  /** Columns to write to; undefined where standard output is no terminal. */
  readonly columns: () => number | undefined;
}

/** Flags that every command has (X4). */
export interface GlobalOptions {
  readonly home?: string;
  readonly url?: string;
  readonly json: boolean;
  readonly verbose: boolean;
  /** Which command this is, such as `countersign mcp add`. */
  readonly command?: string;
}
