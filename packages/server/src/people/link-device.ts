import type { Store } from '@countersign/core/ports';
import type { PasskeyConfirmation, TokenScope } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { confirmIn } from '../confirmations/confirm-in.js';
import type { By } from './by.js';
import { changePeople } from './change-people.js';
import { insertCredential, makeLink, TICKET_MS } from './credentials.js';
import { currentSession, refuseOldSignIn } from './recent-sign-in.js';

interface LinkRequest {
  confirmation?: PasskeyConfirmation;
  /** What the other device may do at most. */
  scopes?: readonly TokenScope[];
  /** The origin of the page that sent the request. */
  origin: string;
}

/**
 * Creates a single-use ticket for another device of the person who sends the request (WHO2). A stolen session can't: it has neither the
 * passkey nor a recent sign-in. The ticket ends with the session that created it.
 */
export async function linkDevice(
  store: Store,
  by: By,
  { confirmation, origin, scopes: asked }: LinkRequest,
): Promise<{ id: string; ticket: string; expiresAt: number; scopes?: readonly TokenScope[] }> {
  const { kind, person } = by.access;
  if (kind !== 'session' || person === undefined) throw new HttpProblem(403, problemTexts.linkNeedsSession);
  const made = makeLink();
  return await changePeople(store, by.signer, async (tx) => {
    const session = await currentSession(tx, by);
    const { id, name, data } = session;
    const how = await confirmed();
    const expiresAt = tx.now() + TICKET_MS;
    for (const older of await tx.credentials(person.id, 'ticket'))
      if (older.parentId === id && older.data.linked === true) await tx.endCredential(older.id);
    const scopes = inBoth(data.scopes, asked);
    await insertCredential(tx, made, {
      personId: person.id,
      kind: 'ticket',
      name: 'another device',
      data: { linked: true, ...(scopes && { scopes }) },
      parentId: id,
      expiresAt,
    });
    const value = { id: made.id, ticket: made.secret, expiresAt, ...(scopes && { scopes }) };
    const limit = asked === undefined ? '' : `, only to ${asked.join(' and ')}`;
    const why = `${person.id}: from ${name} (${id}), ${how}${limit}`;
    return { value, record: { decision: 'device link created', why } };

    async function confirmed(): Promise<string> {
      if (confirmation !== undefined) {
        const body = asked === undefined ? {} : { scopes: asked };
        const action = { kind: 'change-world', method: 'POST', path: '/me/devices/link', body } as const;
        const { credential } = await confirmIn(tx, by, { action, confirmation, origin });
        return `confirmed with "${credential.name}" (${credential.id})`;
      }
      await refuseOldSignIn(tx, session, 'open another device');
      return 'after a sign-in';
    }
  });
}

/** What both limits allow. Undefined: neither limits anything. */
export function inBoth(
  one: readonly TokenScope[] | undefined,
  other: readonly TokenScope[] | undefined,
): readonly TokenScope[] | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((scope) => other.includes(scope));
}
