/**
 * The way to a server, as the commands see it: only the program's entry knows the server itself, so that a command that talks to a
 * running one does not load it.
 */
export interface ServerDoor {
  /** The home folder that is meant when nobody names one. */
  defaultHome(): Promise<string>;
  /** The server that runs on this home, if one answers. */
  find(home: string): Promise<{ url: string } | undefined>;
  /** The token kept in this home, if one is. */
  readToken(home: string): Promise<string | undefined>;
  /** Starts a server on this home inside this process. Rejects with `code: 'store-locked'` when another was first. */
  start(home: string, how: OwnServerOptions, say: (line: string) => void): Promise<OwnServer>;
  /** `countersign serve`: runs until a signal ends it; gives the exit code. */
  serve(options: ServeWords): Promise<number>;
  /** Copies all that a home, or a database, keeps into an empty one. */
  migrate(
    home: string,
    words: { from: string; to: string },
    onProgress: (progress: MigrationStep) => void,
  ): Promise<MigrationReport>;
  /** Opens an address in the person's browser, where there is a screen. */
  openBrowser(url: string): Promise<void>;
  /** What of this machine Countersign could use, and what is in its way. */
  lookAround(home: string, port: number | undefined): Promise<readonly Finding[]>;
}

/** What a server of our own does with turns that an earlier process left: run them, or leave them until somebody acts in their chat. */
export type Unfinished = 'take-up' | 'leave';

interface OwnServerOptions {
  readonly unfinished: Unfinished;
  /** Which command it is in, such as `countersign chat`. */
  readonly command: string;
}

/** A server inside this command, which ends with it. */
export interface OwnServer {
  readonly url: string;
  readonly token: string;
  isWorking(): boolean;
  /** Resolves when no turn runs in it: all have ended, or wait for a person. */
  settled(): Promise<void>;
  /** Chats with unfinished turns that no process runs. */
  stalledChats(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ServeWords {
  port?: number;
  host?: string;
  allowHosts?: readonly string[];
  home?: string;
  open: boolean;
  json: boolean;
  logLevel?: string;
}

export interface MigrationStep {
  readonly table: string;
  readonly rows: number;
  readonly of: number;
}

interface MigrationReport {
  readonly tables: Readonly<Record<string, number>>;
  readonly auditRecords: number;
}

/** `fine`: it works. `without`: it is not there, and can be done without. `broken`: nothing works until somebody does something. */
export interface Finding {
  readonly what: string;
  readonly state: 'fine' | 'without' | 'broken';
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}
