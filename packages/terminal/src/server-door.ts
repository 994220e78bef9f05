/**
 * The way to a server, as the commands see it: only the program's entry knows the server itself, so that a command that talks to a
 * running one does not load it.
 */
export interface ServerDoor {
  /** The home folder that is meant when nobody names one. */
  defaultHome(): string;
  /** The server that runs on this home, if one answers. */
  find(home: string): Promise<{ url: string } | undefined>;
  /** The token kept in this home, if one is. */
  readToken(home: string): string | undefined;
  /** Starts a server on this home inside this process. Rejects with `code: 'store-locked'` when another was first. */
  start(home: string, say: (line: string) => void): Promise<{ url: string; token: string; close(): Promise<void> }>;
  /** `countersign serve`: runs until a signal ends it; gives the exit code. */
  serve(options: ServeWords): Promise<number>;
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
