import { type Answer, ClientError } from '@countersign/client';
import type { ToolResultReply } from '@countersign/protocol';
import { useCallback } from 'react';
import { useClient, useWorldStore } from '../data/connection.js';
import { say, sayError } from '../ui/toast.js';
import type { Asked } from './approval-panel.js';
import { t } from '../words/approvals.js';

/** `mine`: this decision counts. `not mine`: it doesn't, or someone else made the same one before. */
export type Outcome = 'mine' | 'not mine';

/** Sends decisions. Errors are shown, and the card stays. */
export function useAnswer(): {
  decide: (asked: Asked, answer: Answer) => Promise<Outcome>;
  reply: (asked: Asked, words: string) => Promise<Outcome>;
} {
  const client = useClient();
  const world = useWorldStore();
  const outcomeOf = useCallback(
    async ({ worldId }: Asked, sent: Promise<ToolResultReply>): Promise<Outcome> => {
      // Someone was faster. If there is a stream, the card will show who; otherwise only this message does.
      const isTold = (): boolean => world.getState().worldId === worldId && world.getState().connection.kind === 'open';
      try {
        const { kind } = await sent;
        if (kind === 'recorded') return 'mine';
        if (!isTold()) say(t.alreadyDecided);
      } catch (error) {
        if (!(error instanceof ClientError && error.status === 409 && isTold())) sayError(error);
      }
      return 'not mine';
    },
    [world],
  );
  const decide = useCallback(
    (asked: Asked, answer: Answer) => {
      const { worldId, approval } = asked;
      return outcomeOf(asked, client.decide(worldId, approval, { ...answer, chatId: approval.chatId }));
    },
    [client, outcomeOf],
  );
  const reply = useCallback(
    (asked: Asked, words: string) => {
      const { worldId, approval } = asked;
      return outcomeOf(asked, client.answer(worldId, { toolCallId: approval.approvalId, content: words }));
    },
    [client, outcomeOf],
  );
  return { decide, reply };
}
