import type { EndedRun } from '@countersign/protocol';

/** A login that the agent renewed. It is written back only with a signature, and only if its account is the same. */
export type RenewedLogin = NonNullable<EndedRun['login']>;

/** The home folder of one run, empty except for the login, the transcripts and the settings of its agent. */
export interface AgentHome {
  /** Bubblewrap options that put it in place of the person's home. Must come before those of the draft. */
  readonly place: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Once all processes are dead: keeps the login and the transcripts for the next run, and removes the rest. */
  keep(): Promise<RenewedLogin | undefined>;
}
