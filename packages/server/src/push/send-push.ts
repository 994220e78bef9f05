import type { IncomingMessage } from 'node:http';
import type { NewPush } from '@countersign/protocol';
import { onlyTo, type Network } from '@countersign/tools';
import type { PushKeys } from './push-keys.js';
import { addressesOf, readEndpoint } from './push-services.js';

/** How pushes reach the push services. */
export interface PushRoute {
  /** Services that the administrator's file names, as `host:port`. */
  readonly named: readonly string[];
  /** A URL at which the operators of a push service can find out who sends. */
  readonly subject: string;
  /** Tests replace it, because nothing may leave the machine. */
  readonly network?: Network;
  /** The certificate authority of a push service in a test. */
  readonly ca?: string;
}

/** `gone`: the device has unsubscribed. `refused`: sending it again is no use. `failed`: it may work later. */
export type Sent = { kind: 'sent' } | { kind: 'gone' } | { kind: 'refused' | 'failed'; why: string };

const TIMEOUT_MS = 10_000;
/** A device that was off for longer gets nothing: the calls that wait then are sent when one changes. */
const KEPT_S = 24 * 60 * 60;

/** Encrypts a message for a device, and sends it to its push service. Follows no redirect and never rejects. `topic`: replaces an undelivered message. */
export async function sendPush(
  { endpoint, keys }: NewPush,
  payload: object,
  { urgency, topic, signal }: { urgency: 'high' | 'normal'; topic: string; signal: AbortSignal },
  { route, own }: { route: PushRoute; own: PushKeys },
): Promise<Sent> {
  try {
    const url = readEndpoint(endpoint, route.named);
    const addresses = await addressesOf(url, route.named, route.network);
    // Loaded when the first push is sent: it would slow down every start.
    const { default: webPush } = await import('web-push');
    const vapidDetails = { subject: route.subject, ...own };
    const options = { vapidDetails, TTL: KEPT_S, urgency, topic } as const;
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(payload), options);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const { request } = process.getBuiltinModule('node:https');
      const outgoing = {
        method: 'POST',
        headers: { ...headers },
        // No shared connection, and no proxy from the environment.
        agent: false,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        lookup: onlyTo(addresses),
        ...(route.ca === undefined ? {} : { ca: route.ca }),
      };
      request(url, outgoing, resolve).on('error', reject).end(body);
    });
    response.destroy();
    return judge(response.statusCode ?? 0);
  } catch (error) {
    return { kind: 'failed', why: reasonOf(error) };
  }
}

function judge(status: number): Sent {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  const why = `status ${status}`;
  return status === 429 || status >= 500 ? { kind: 'failed', why } : { kind: 'refused', why };
}

/** Without the endpoint, which some errors quote. */
function reasonOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'unknown';
}
