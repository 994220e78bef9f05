import type { RunAgent as RunAgentId } from '@countersign/protocol';

/**
 * A login that the agent renewed. `account`: of the new one, compared with the one outside; `unknown`: nothing in the file says it. It is
 * written back only with a signature, and `other` and `unknown` only if the person includes it.
 */
export interface RenewedLogin {
  readonly agent: RunAgentId;
  readonly account: 'same' | 'other' | 'unknown';
  /** The file outside. */
  readonly file: string;
  /** SHA-256 of the file outside at the start of the run. If it has changed since, nothing is written back. */
  readonly before: string;
  /** The file with the new login, in the run's folder. */
  readonly renewed: string;
}

/** The home folder of one run, empty except for the login, the transcripts and the settings of its agent. */
export interface AgentHome {
  /** Bubblewrap options that put it in place of the person's home. Must come before those of the draft. */
  readonly place: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Once all processes are dead: keeps the login and the transcripts for the next run, and removes the rest. */
  keep(): Promise<RenewedLogin | undefined>;
}
