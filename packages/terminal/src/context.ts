import type { Client } from '@countersign/client';
import type { Console } from './console.js';
import type { OwnServer, ServerAccess, Unfinished } from './connection/server-access.js';
import type { Paint } from './text/paint.js';

/** Passed to every command. */
export interface CommandContext {
  readonly console: Console;
  readonly servers: ServerAccess;
  readonly version: string;
  /**
   * Connects on first use, so that `--help` and a mistyped flag start nothing; closed when the command ends. `resume` also continues work that an
   * earlier process left unfinished.
   */
  client(unfinished?: Unfinished): Promise<Client>;
  /** The server that this command started, if any. */
  ownServer(): Promise<OwnServer | undefined>;
  /** Whether our own server ends with this command and runs only chats that the command acts in. */
  endsSoon(): Promise<boolean>;
  /** Called when the person leaves: work running in our own server is aborted with a message, not awaited. */
  leave(): void;
  /** Whether a server is running on the home folder. False if a URL was given. */
  isServed(): Promise<boolean>;
  readonly options: GlobalOptions;
  /** Prints a line on standard output. */
  readonly say: (line: string) => void;
  /** Prints a line on standard error: anything except the result. */
  readonly note: (line: string) => void;
  /** Prints the result as one JSON document. */
  readonly json: (value: unknown) => void;
  /** Prints one of several results, as a JSON line. */
  readonly jsonLine: (value: unknown) => void;
  /** Prints text for files and programs unchanged; on a terminal, hidden characters are made visible. */
  readonly put: (text: string, format: 'json' | 'text') => void;
  readonly paint: Paint;
  /** Whether a person can be asked. */
  readonly isPerson: boolean;
  /** Terminal width; undefined if standard output is not a terminal. */
  readonly columns: () => number | undefined;
}

/** Flags that every command has (TERM4). */
export interface GlobalOptions {
  readonly home?: string;
  readonly url?: string;
  readonly allowHttp?: true;
  readonly json: boolean;
  readonly verbose: boolean;
  /** Name of the command, such as `countersign mcp add`. */
  readonly command?: string;
}
