import type { Runtime } from '@countersign/core';
import type { SecretBox } from '@countersign/core/ports';
import type { SessionLifetimes } from '../people/credentials.js';
import type { PushRoute } from './send-push.js';

/** What everything about notifications works with. */
export interface PushTools {
  readonly runtime: Runtime;
  readonly box: SecretBox;
  readonly route: PushRoute;
  readonly lifetimes: SessionLifetimes;
  /** By group: how long a call waits before its people are told, in milliseconds. */
  readonly tellAfter: Readonly<Record<string, number>>;
  /** For operators: messages that a push service didn't take. */
  readonly log: {
    warn(message: string, fields?: Record<string, unknown>): void;
    error(message: string, fields?: Record<string, unknown>): void;
  };
}
