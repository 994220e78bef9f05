import type { CredentialRecord, StoreReader } from '@countersign/core/ports';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { unauthorized } from '../auth/unauthorized.js';
import type { By } from './by.js';
import { isUsable } from './credentials.js';

/** How long after a sign-in no passkey is needed. */
const RECENT_MS = 5 * 60_000;

/** The session of a request. It may have ended after the request was authenticated. */
export async function currentSession(
  reader: Pick<StoreReader, 'credential' | 'now'>,
  { access }: By,
): Promise<CredentialRecord> {
  const found = await reader.credential(access.holder);
  if (found === undefined || !isUsable(found, reader.now())) throw unauthorized(problemTexts.unknownSession);
  return found.credential;
}

/**
 * Refuses a session that may be stolen: its sign-in is older than five minutes, or was no sign-in but a link from another device, or a passkey that
 * isn't trusted although its person has one that is: a stolen session could have registered it.
 */
export async function refuseOldSignIn(
  reader: Pick<StoreReader, 'credentials' | 'now'>,
  { personId, createdAt, data }: CredentialRecord,
  doing: string,
): Promise<void> {
  const hasTrusted = await hasTrustedPasskey(reader, personId);
  const isSignIn = data.linked !== true && !(data.untrusted === true && hasTrusted);
  // Absolute difference: another process's clock may be ahead.
  if (isSignIn && Math.abs(reader.now() - createdAt) < RECENT_MS) return;
  if (hasTrusted) throw new HttpProblem(409, problemTexts.needsPasskeyNow(doing), { field: 'confirmation' });
  throw new HttpProblem(409, problemTexts.needsSignIn(doing));
}

/**
 * Refuses a new credential, or a new URL of a webhook, that could outlive a stolen session (WHO5.3). People who can't sign in again on their own, because they have neither a
 * trusted passkey nor an OIDC account, only need a session that no link opened. Tokens have their own limits (WHO5).
 */
export async function refuseNewCredential(
  reader: Pick<StoreReader, 'credential' | 'credentials' | 'now'>,
  by: By,
  { isConfirmed = false, doing = 'create a token or an invitation' }: { isConfirmed?: boolean; doing?: string } = {},
): Promise<void> {
  const { kind, person } = by.access;
  if (kind !== 'session' || person === undefined || isConfirmed) return;
  const session = await currentSession(reader, by);
  const canSignIn = person.oidc !== undefined || (await hasTrustedPasskey(reader, person.id));
  if (canSignIn || session.data.linked === true) await refuseOldSignIn(reader, session, doing);
}

async function hasTrustedPasskey(reader: Pick<StoreReader, 'credentials'>, personId: string): Promise<boolean> {
  return (await reader.credentials(personId, 'passkey')).some(({ data }) => data.passkey?.trusted === true);
}
