import { CountersignError } from '@countersign/protocol';
import type { Clock } from '../ports/index.js';

/** Many more than a person starts. Somebody with a stolen token could otherwise create any number of chats. */
const MAX_SESSIONS = 500;
const WINDOW_MS = 60 * 60 * 1000;

/** Counts new sessions of an agent. Throws `too-many` above the limit. */
export function limitSessions(clock: () => Clock): (worldId: string, agentId: string) => void {
  const started = new Map<string, number[]>();
  return (worldId, agentId) => {
    const key = JSON.stringify([worldId, agentId]);
    const now = clock().now();
    const recent = (started.get(key) ?? []).filter((at) => at > now - WINDOW_MS);
    started.set(key, recent);
    if (recent.length < MAX_SESSIONS) return void recent.push(now);
    const detail =
      `this agent has started ${MAX_SESSIONS} sessions within an hour. Nothing ran. Try again later, ` +
      'or revoke its token if these sessions are not yours';
    throw new CountersignError('too-many', detail);
  };
}
