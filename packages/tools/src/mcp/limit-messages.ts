import type { Clock } from '@countersign/core/ports';
import { isJSONRPCNotification, isJSONRPCRequest, type Transport } from '@modelcontextprotocol/client';

const BURST = 1_000;
const PER_SECOND = 100;

/**
 * Drops messages that nobody asked for (progress, logs, "my list changed") when they are too many: without a limit a server that
 * floods us would take the time of every world in this process. Answers always pass: each was asked for.
 */
export function limitMessages(transport: Transport, clock: Pick<Clock, 'now'>, dropped: () => void): Transport {
  const budget = createMessageBudget(clock);
  let deliver: Transport['onmessage'];
  let told = false;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => deliver,
    set(inner: Transport['onmessage']) {
      deliver = (message, extra) => {
        if ((isJSONRPCRequest(message) || isJSONRPCNotification(message)) && !budget()) {
          if (!told) dropped();
          told = true;
          return;
        }
        inner?.(message, extra);
      };
    },
  });
  return transport;
}

/** False: one too many. */
function createMessageBudget(clock: Pick<Clock, 'now'>): () => boolean {
  let left = BURST;
  let last = clock.now();
  return () => {
    const now = clock.now();
    left = Math.min(BURST, left + ((now - last) / 1_000) * PER_SECOND);
    last = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
