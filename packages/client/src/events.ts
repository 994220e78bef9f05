import type { WorldEvent } from '@countersign/protocol';
import type { Connection } from './state.js';

/** What a stream tells. */
export type StreamItem =
  | { readonly kind: 'event'; readonly event: WorldEvent }
  /** The log does not reach back to where we were: whatever was built from events has to be loaded anew. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'connection'; readonly connection: Connection }
  /** A frame that could not be read. It is left out and the stream goes on. */
  | { readonly kind: 'malformed'; readonly detail: string };

export interface EventsOptions {
  /** Only this chat. */
  chat?: string;
  /** Go on after this number of the log. Absent: from now on. */
  after?: number;
  signal?: AbortSignal;
}
