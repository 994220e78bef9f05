/** When a schedule sends its message: at the times of a cron expression, or once. Times of day are in the time zone. */
export type ScheduleTimes =
  | { cron: string; timeZone: string; at?: never }
  | { at: number; timeZone: string; cron?: never };

/** A message that is sent at certain times, for the person who made the schedule (SCHED1). */
export interface ScheduleRecord {
  id: string;
  worldId: string;
  chatId: string;
  /** Incremented by every update. */
  rev: number;
  /** When a process has to look at it next: when it is due, or when the lease of a process that is sending ends. Null: never. */
  lookAt: number | null;
  /** The person in whose name it sends. */
  personId: string;
  /** The limited token or session that it was made with, and ends with. */
  credentialId?: string;
  content: string;
  times: ScheduleTimes;
  /** `stopped`: its person may no longer send messages to the chat. */
  state: 'active' | 'paused' | 'stopped';
  /** When it is due. Null unless active. */
  dueAt: number | null;
  /** A process is sending the message that is due, until this time. */
  leaseUntil?: number;
  lastAt?: number;
  lastMessageId?: string;
  /** When it was last due without being sent, because the agents still worked on its last message. */
  skippedAt?: number;
  createdAt: number;
}
