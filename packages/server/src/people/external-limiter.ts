import type { Clock } from '@countersign/core/ports';
import type { ExternalLimiter } from '../app/context.js';
import { createWindow, refusal } from '../app/limit-window.js';
import { problemTexts } from '../app/problem-texts.js';

/** What each credential may send for external agents, and each of these agents, in one process (EXT1.17). */
export interface ExternalLimits {
  callsPerMinute: number;
  megabytesPerHour: number;
}

export const EXTERNAL_LIMITS: ExternalLimits = { callsPerMinute: 120, megabytesPerHour: 50 };

export function createExternalLimiter(clock: Pick<Clock, 'now'>, limits: ExternalLimits): ExternalLimiter {
  const calls = createWindow(clock, 60_000, limits.callsPerMinute);
  const bytes = createWindow(clock, 60 * 60_000, limits.megabytesPerHour * 1024 ** 2);
  return {
    request(c) {
      const { holder, external } = c.var.access;
      const keys = external === undefined ? [holder] : [holder, agentKey(external.worldId, external.agentId)];
      const length = c.req.header('content-length');
      const seconds = bytes.add(keys, Number(length ?? 0));
      if (seconds !== undefined) throw refusal(problemTexts.tooManyBytes(limits.megabytesPerHour, seconds), seconds);
      if (length === undefined) c.set('received', (count) => void bytes.add(keys, count));
    },
    call(c, worldId, agentId) {
      const seconds = calls.add([c.var.access.holder, agentKey(worldId, agentId)], 1);
      if (seconds !== undefined) throw refusal(problemTexts.tooManyCalls(limits.callsPerMinute, seconds), seconds);
    },
  };
}

function agentKey(worldId: string, agentId: string): string {
  return JSON.stringify([worldId, agentId]);
}
