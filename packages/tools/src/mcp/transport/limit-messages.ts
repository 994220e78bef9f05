import type { Clock } from '@countersign/core/ports';
import { isJSONRPCNotification, isJSONRPCRequest, type Transport } from '@modelcontextprotocol/client';

const BURST = 1_000;
const PER_SECOND = 100;

/**
 * Rate-limits unsolicited messages (progress, logs, list changes): a server that floods us would slow down every world in this process. Each
 * request gets one response; duplicates and responses without a request are dropped.
 */
export function limitMessages(transport: Transport, clock: Pick<Clock, 'now'>, dropped: () => void): Transport {
  const budget = createMessageBudget(clock);
  let deliver: Transport['onmessage'];
  let told = false;
  const drop = (): void => {
    if (!told) dropped();
    told = true;
  };
  const asked = new Set<unknown>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (isJSONRPCRequest(message)) asked.add(message.id);
    await send(message, options);
  };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => deliver,
    set(inner: Transport['onmessage']) {
      deliver = (message, extra) => {
        const unsolicited = isJSONRPCRequest(message) || isJSONRPCNotification(message);
        if (unsolicited ? budget() : asked.delete(message.id)) inner?.(message, extra);
        else drop();
      };
    },
  });
  return transport;
}

/** Returns false if the limit is exceeded. */
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
