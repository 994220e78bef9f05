import { afterSigning, type Answer, type Client, ClientError, needsPasskey } from '@countersign/client';
import type { PasskeyConfirmation, ToolResultReply } from '@countersign/protocol';
import { useCallback, useContext } from 'react';
import { useClient, useWorldStore } from '../data/connection.js';
import { confirmWith } from '../passkeys/confirm.js';
import { PasskeyFailure } from '../passkeys/passkey-failure.js';
import { linkFor } from '../passkeys/passkey-link.js';
import { clearErrors, say, sayError } from '../notices/toast.js';
import { WaitingContext } from './inbox/use-inbox.js';
import type { ShownApproval } from './shown-approval.js';
import { approvalWords } from '../words/approvals.js';

/**
 * `mine`: this decision took effect. `not mine`: it didn't, or someone else made the same decision earlier. `invalid`: an error for the edited field.
 * `replaced`: the edited call has an approval of its own now, and needs a decision (CALL7.4).
 */
export type Outcome = { kind: 'mine' } | { kind: 'not mine' } | { kind: 'replaced' } | { kind: 'invalid'; why: string };

/** Sends decisions. On errors, the card stays and the error is shown; for an edit, next to its field. */
export function useAnswer(): {
  decide: (asked: ShownApproval, answer: Answer) => Promise<Outcome>;
  reply: (asked: ShownApproval, words: string) => Promise<Outcome>;
} {
  const client = useClient();
  const world = useWorldStore();
  const waiting = useContext(WaitingContext);
  const sendTo = useCallback(
    async ({ worldId, approval }: ShownApproval, sent: Promise<ToolResultReply>, isEdit: boolean): Promise<Outcome> => {
      const about = `decide-${approval.approvalId}`;
      // Someone else was faster. If there is a stream, the card will show who; otherwise, only this message does.
      const isTold = (): boolean => world.getState().worldId === worldId && world.getState().connection.kind === 'open';
      try {
        const { kind, state } = await sent;
        clearErrors(about);
        // The call needs more signatures, and the card shows whose.
        if (state === 'asked') {
          say(afterSigning(kind !== 'recorded'));
          return { kind: 'not mine' };
        }
        if (kind === 'recorded') return { kind: 'mine' };
        if (!isTold()) say(approvalWords.alreadyDecided);
      } catch (error) {
        if (isEdit && error instanceof ClientError && error.status === 422) {
          clearErrors(about);
          return { kind: 'invalid', why: error.detail };
        }
        if (isEdit && error instanceof ClientError && error.status === 409 && error.state === 'asked') {
          clearErrors(about);
          return { kind: 'replaced' };
        }
        if (error instanceof PasskeyFailure) sayError(about, error, linkFor(error));
        else if (error instanceof ClientError && error.kind === 'network')
          sayError(about, new ClientError('network', { detail: approvalWords.maybeNotDecided }, error));
        else if (!(error instanceof ClientError && error.status === 409 && isTold())) sayError(about, error);
      }
      return { kind: 'not mine' };
    },
    [world],
  );
  const outcomeOf = useCallback(
    async (asked: ShownApproval, sent: Promise<ToolResultReply>, isEdit: boolean): Promise<Outcome> => {
      const outcome = await sendTo(asked, sent, isEdit);
      // The stream says so too, a moment later and only if it is connected.
      if (asked.worldId !== world.getState().worldId) waiting?.look(asked.worldId);
      return outcome;
    },
    [sendTo, waiting, world],
  );
  const decide = useCallback(
    (asked: ShownApproval, answer: Answer) => {
      const { worldId, approval } = asked;
      const send = async (): Promise<ToolResultReply> => {
        const confirmation = await confirmationFor(client, asked, answer);
        return await client.decide(worldId, approval, { ...answer, ...confirmation, chatId: approval.chatId });
      };
      return outcomeOf(asked, send(), answer.arguments !== undefined);
    },
    [client, outcomeOf],
  );
  const reply = useCallback(
    (asked: ShownApproval, words: string) => {
      const { worldId, approval } = asked;
      return outcomeOf(asked, client.answer(worldId, { toolCallId: approval.approvalId, content: words }), false);
    },
    [client, outcomeOf],
  );
  return { decide, reply };
}

/** If a rule requires a passkey, the browser asks for it now. Denying needs none. */
async function confirmationFor(
  client: Client,
  { worldId, approval }: ShownApproval,
  { decision }: Answer,
): Promise<{ confirmation?: PasskeyConfirmation }> {
  if (decision !== 'approve' || !needsPasskey(approval.needs)) return {};
  const action = { kind: 'sign-call', world: worldId, approval: approval.approvalId, decision } as const;
  return { confirmation: await confirmWith(client, action) };
}
