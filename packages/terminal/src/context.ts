import type { Client } from '@countersign/client';
import type { Console } from './console.js';
import type { ServerDoor } from './server-door.js';

/** What every command is given. */
export interface CommandContext {
  readonly console: Console;
  readonly door: ServerDoor;
  readonly version: string;
  /** Connects when first asked, so that `--help` and a mistyped flag start nothing. Closed when the command has ended. */
  client(): Promise<Client>;
  readonly options: GlobalOptions;
}

/** Flags that every command has (X4). */
export interface GlobalOptions {
  readonly home?: string;
  readonly url?: string;
  readonly json: boolean;
  readonly verbose: boolean;
}
