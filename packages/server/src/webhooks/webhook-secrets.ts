import { createHmac, randomBytes } from 'node:crypto';
import type { SecretBox, WebhookRecord } from '@countersign/core/ports';

/** What of a webhook is encrypted. */
export interface WebhookSecrets {
  url: string;
  /** The newest first. `until`: an older one, which signs until then. */
  keys: readonly { secret: string; until?: number }[];
}

const OVERLAP_MS = 24 * 60 * 60 * 1000;
const PREFIX = 'whsec_';

/** In the form that libraries for Standard Webhooks expect. */
export function newSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

const MOST_SECRETS = 4;

/** Adds a secret. The one before it signs for another day. */
export function rotate(keys: WebhookSecrets['keys'], secret: string, now: number): WebhookSecrets['keys'] {
  const older = keys.map((key) => ({ until: now + OVERLAP_MS, ...key })).filter(({ until }) => until > now);
  return [{ secret }, ...older].slice(0, MOST_SECRETS);
}

export function sealSecrets(box: SecretBox, id: string, secrets: WebhookSecrets): string {
  return box.seal(JSON.stringify(secrets), ['webhook', id]);
}

/** Undefined if they were encrypted with another key. */
export function openSecrets(
  box: SecretBox,
  { id, sealed }: Pick<WebhookRecord, 'id' | 'sealed'>,
): WebhookSecrets | undefined {
  const opened = box.unseal(sealed, ['webhook', id]);
  return opened.ok ? (JSON.parse(opened.value) as WebhookSecrets) : undefined;
}

/** The headers of Standard Webhooks: one signature for each secret that is valid now. */
export function signedHeaders(
  { id, body, keys }: { id: string; body: string; keys: WebhookSecrets['keys'] },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys
    .filter(({ until }) => until === undefined || until > now)
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
