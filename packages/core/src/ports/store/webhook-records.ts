import type { DeliveryState, WebhookEvent, WebhookFormat } from '@countersign/protocol';

/** A URL that is told what happens (HOOK). Belongs to the store, not to a world. */
export interface WebhookRecord {
  id: string;
  /** Who created it, and whose rights it has. Null: the shared token, which has an owner's. */
  personId: string | null;
  definition: WebhookDefinition;
  /** The URL and the secrets, encrypted. */
  sealed: string;
  /** Incremented by every update. */
  rev: number;
  createdAt: number;
}

interface WebhookDefinition {
  /** The scheme, host and port of its URL. The rest may contain a token. */
  origin: string;
  events: readonly WebhookEvent[];
  /** Absent: standard. */
  format?: WebhookFormat;
  /** The ids of worlds. Absent: all. */
  worlds?: readonly string[];
  /** After how many minutes a call that still waits is overdue. */
  overdueMinutes?: number;
  active: boolean;
}

/** A message for a webhook. It names what happened; what it says is read when it is sent. */
export interface DeliveryRecord {
  /** The same for the same event and webhook: a receiver can ignore a second one. */
  id: string;
  webhookId: string;
  worldId: string;
  /** The event in the log of the world. */
  eventId: number;
  type: WebhookEvent;
  /** The id of the approval, call or chat. */
  subject: string;
  state: DeliveryState;
  /** How often sending it began. It changes with each attempt, so a process that was too slow can't end the attempt of another one. */
  attempts: number;
  /** When it is due. While a process sends it: until when no other one does. */
  nextAt: number;
  /** Why the last attempt failed. */
  problem: string | null;
  createdAt: number;
  endedAt: number | null;
}
