import type { NewPush } from '@countersign/protocol';
import type { OutboundRoute } from '../outbound/named-hosts.js';
import { post, reasonOf } from '../outbound/post.js';
import type { PushKeys } from './push-keys.js';
import { readEndpoint } from './push-services.js';

/** How pushes reach the push services. */
export interface PushRoute extends OutboundRoute {
  /** A URL at which the operators of a push service can find out who sends. */
  readonly subject: string;
}

/** `gone`: the device has unsubscribed. `refused`: sending it again is no use. `failed`: it may work later. */
export type Sent = { kind: 'sent' } | { kind: 'gone' } | { kind: 'refused' | 'failed'; why: string };

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
    // Loaded when the first push is sent: it would slow down every start.
    const { default: webPush } = await import('web-push');
    const vapidDetails = { subject: route.subject, ...own };
    const options = { vapidDetails, TTL: KEPT_S, urgency, topic } as const;
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(payload), options);
    return judge(await post(url, { headers: { ...headers }, body, signal }, route));
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
