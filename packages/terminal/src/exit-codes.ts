/** What the exit code of a command tells a script. */
export const EXIT = {
  /** Done; of `chat`: answered. */
  ok: 0,
  /** It could not be done: the server said why, or could not be reached. */
  failed: 1,
  /** The command line can't be meant: an unknown command, flag, world or id. */
  usage: 2,
  /** Of `chat`: answered, but something the agents asked for was denied. */
  denied: 3,
  /** Somebody was waited for, and did not come in time. */
  timedOut: 4,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
