import type { Invocation } from '@countersign/client';
import { EXTERNAL_PROVIDER } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useChat, useOutbox } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { Button } from '../ui/button.js';
import { callWords } from '../words/calls.js';

/**
 * Asks the agent for a new call after a conflict. The same arguments could overwrite what others wrote, so the agent, which can read the files,
 * proposes it. The message quotes nothing that the agent wrote, because it has the person's name.
 */
export function ProposeAgain({ invocation }: { invocation: Invocation }): ReactElement | null {
  const { agentId, toolName } = invocation;
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const agent = useChat((state) => state.agents.find(({ id }) => id === agentId));
  const mayChat = useMay('chat', worldId);
  const outbox = useOutbox();
  if (agent === undefined || agent.provider === EXTERNAL_PROVIDER || !mayChat) return null;
  return (
    <Button
      size="small"
      icon="reply"
      onClick={() => outbox.send({ worldId, chatId, content: callWords.pleaseProposeAgain(agent.name, toolName) })}
    >
      {callWords.proposeAgain}
    </Button>
  );
}
