/** Exit codes for all commands. */
export const EXIT = {
  /** Success; for `chat`: answered. */
  ok: 0,
  /** Failure: the server rejected the request or can't be reached. */
  failed: 1,
  /** Wrong usage: an unknown command, flag, world or id. */
  usage: 2,
  /** For `chat`: answered, but a call was denied. */
  denied: 3,
  /** Timed out. */
  timedOut: 4,
  /** For `run`: the changes were not applied. */
  notApplied: 125,
  /** For `run`: there is no such program. */
  noProgram: 127,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
