import type { AcpSettings, AuditEntry, PinnedPasskey } from '@countersign/protocol';
import type { CommitProblem, ReceiptProblem } from '../words/receipts.js';

/** Access to servers. Only the program's entry point imports the server itself, so that commands that use a running server don't load it. */
export interface ServerAccess {
  /** The default home folder. */
  defaultHome(): Promise<string>;
  /** The server running on this home folder, if it responds. */
  find(home: string): Promise<FoundServer | undefined>;
  /** The token stored in this home folder, if any. */
  readToken(home: string): Promise<string | undefined>;
  /** Starts a server in this process. Rejects with `code: 'store-locked'` if another process owns the home folder. */
  start(home: string, how: OwnServerOptions, say: (line: string) => void): Promise<OwnServer>;
  /** `countersign serve`: runs until a signal; resolves to the exit code. */
  serve(options: ServeOptions): Promise<number>;
  /** Copies all data from a home folder or database into an empty one. */
  migrate(
    home: string,
    words: { from: string; to: string },
    onProgress: (progress: MigrationStep) => void,
  ): Promise<MigrationReport>;
  /** Removes a person's passkeys and ends their sessions. Rejects with `code: 'store-locked'` while a server uses the home folder. */
  resetPasskeys(
    home: string,
    name: string,
  ): Promise<{
    person: { id: string; name: string };
    removed: number;
    sessions: number;
    tokensLeft: number;
    trustedLeft: number;
  }>;
  /** Verifies the receipts of a log offline, record by record in order. Without pinned keys, with the keys in the log itself. */
  receiptCheck(
    pinned: readonly PinnedPasskey[] | undefined,
  ): Promise<(entry: AuditEntry) => ReceiptProblem | undefined>;
  /** Verifies the receipts of commits offline, from a clone and a file of keys. Rejects with the number of a line that is no key. */
  verifyCommits(
    folder: string,
    range: string,
    how: { keys: string; requirePasskey: boolean },
  ): Promise<readonly VerifiedCommit[]>;
  /** Opens a URL in the browser, if there is a display. */
  openBrowser(url: string): Promise<void>;
  /** Checks what Countersign needs on this machine. */
  probe(home: string, port: number | undefined): Promise<readonly Finding[]>;
  /** Starts the program of an ACP agent and ends it. Resolves to the reason if that fails, as a clause. */
  tryAcpAgent(acp: AcpSettings, home: string): Promise<string | undefined>;
  /** Starts the scripted model from a file. If the script is invalid, rejects with a sentence that names the line. */
  startModel(options: ModelOptions): Promise<RunningModel>;
}

/** A commit, and why it isn't countersigned. */
interface VerifiedCommit {
  readonly commit: string;
  readonly subject: string;
  readonly problem?: CommitProblem;
}

interface ModelOptions {
  readonly file: { name: string; text: string };
  readonly port?: number;
  readonly host?: string;
  readonly onRequest?: (served: ServedRequest) => void;
}

/** One request to a scripted model. Without a status, there was no complete response. */
export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly status?: number;
  /** The index of the reply in the script, from 0. */
  readonly reply?: number;
  readonly request?: { model: string; turn: number; user: string; toolResults: readonly string[]; body: unknown };
}

interface RunningModel {
  readonly url: string;
  /** The environment variables that make programs use this model. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface FoundServer {
  readonly url: string;
  /** A server started by another command ends with that command; a `countersign serve` is restarted by its user. */
  readonly startedBy: 'serve' | 'command';
}

/** Whether our own server continues turns that an earlier process left unfinished, or leaves them until someone acts in their chat. */
export type Unfinished = 'resume' | 'leave';

interface OwnServerOptions {
  readonly unfinished: Unfinished;
  /** The command that starts the server, such as `countersign chat`. */
  readonly command: string;
}

/** A server in this process, which ends with the command. */
export interface OwnServer {
  readonly url: string;
  readonly token: string;
  isWorking(): boolean;
  /** Resolves when no turn is running: all have ended or wait for a person. */
  settled(): Promise<void>;
  /** Chats with unfinished turns that no process runs. */
  stalledChats(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ServeOptions {
  port?: number;
  host?: string;
  allowHosts?: readonly string[];
  tls?: { cert: string; key: string; host?: string | undefined; port?: number | undefined };
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

/**
 * `fine`: works. `missing`: optional and not present. `warning`: should be checked, but the server can start. `broken`: must be fixed first.
 */
export interface Finding {
  readonly what: string;
  readonly state: 'fine' | 'missing' | 'warning' | 'broken';
  readonly detail: string;
  /** How to fix it. */
  readonly advice?: string;
}
