import type { VerifiedReceipt } from '@countersign/core';
import type { Store } from '@countersign/core/ports';
import type { ToolDecision } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import type { By } from '../people/by.js';
import { confirmIn, type ConfirmRequest } from './confirm-in.js';

/** Verifies the signature on a decision before it is decided, and uses its challenge up. The step checks the rest (SIGN2.3). */
export async function confirmDecision(
  store: Pick<Store, 'transact'>,
  by: By,
  asked: ConfirmRequest & { confirmation: NonNullable<ConfirmRequest['confirmation']> },
  { decision, scope = 'once', arguments: edited }: ToolDecision,
): Promise<VerifiedReceipt> {
  if (decision !== 'approve' || scope !== 'once' || edited !== undefined)
    throw new HttpProblem(422, problemTexts.onlyApproveOnce, { field: 'confirmation' });
  const { value } = await store.transact('', (tx) => confirmIn(tx, by, asked));
  const { credential, passkey, challenge } = value;
  if (challenge.signed === undefined)
    throw new HttpProblem(403, problemTexts.otherChallenge, { field: 'confirmation' });
  const { challenge: _, ...assertion } = asked.confirmation;
  const { publicKey, rpId } = passkey;
  return {
    receipt: { version: 1, signed: challenge.signed, ...assertion, publicKey, rpId },
    passkeyId: credential.id,
    personId: credential.personId,
  };
}
