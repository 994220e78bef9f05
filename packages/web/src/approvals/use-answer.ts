import { type Answer, ClientError } from '@countersign/client';
import { useCallback } from 'react';
import { useClient } from '../data/connection.js';
import { sayError } from '../ui/toast.js';
import type { Asked } from './approval-panel.js';

/** Sends answers. Resolves to whether this one was taken; what went wrong is said, and the card stays. */
export function useAnswer(): {
  decide: (asked: Asked, answer: Answer) => Promise<boolean>;
  reply: (asked: Asked, words: string) => Promise<boolean>;
} {
  const client = useClient();
  const decide = useCallback(
    ({ worldId, approval }: Asked, answer: Answer) =>
      taken(client.decide(worldId, approval, { ...answer, chatId: approval.chatId })),
    [client],
  );
  const reply = useCallback(
    ({ worldId, approval }: Asked, words: string) =>
      taken(client.answer(worldId, { toolCallId: approval.approvalId, content: words })),
    [client],
  );
  return { decide, reply };
}

async function taken(sent: Promise<unknown>): Promise<boolean> {
  try {
    await sent;
    return true;
  } catch (error) {
    // Somebody was faster: the card itself will say who, as soon as the stream has told it.
    if (!(error instanceof ClientError && error.status === 409)) sayError(error);
    return false;
  }
}
