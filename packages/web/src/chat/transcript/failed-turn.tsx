import { get, whoAnswers } from '@countersign/client';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useChat, useOutbox, useWorld } from '../../data/connection.js';
import { paths } from '../../shell/paths.js';
import { Button } from '../../ui/button.js';
import { chatWords } from '../../words/chat.js';

/** What a person can do after an agent's turn ended without an answer. */
export function FailedTurn({
  agentId,
  triggerId,
}: {
  agentId: string;
  triggerId: string | undefined;
}): ReactElement | null {
  const outbox = useOutbox();
  const [, navigate] = useLocation();
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const agents = useChat((state) => state.agents);
  const trigger = useChat((state) => (triggerId === undefined ? undefined : get(state.messages, triggerId)));
  const mainAgent = useWorld((state) => state.world?.mainAgent);
  const agent = agents.find(({ id }) => id === agentId);
  if (agent === undefined) return null;
  const again = (): void => {
    const words = trigger?.speaker.kind === 'person' ? trigger.content : undefined;
    const who = words === undefined ? undefined : whoAnswers(words, agents, mainAgent);
    // Resends the same message, unless other agents would answer it too.
    const isForOne = who?.kind === 'agents' && who.names.length === 1 && who.names[0] === agent.name;
    const content = words !== undefined && isForOne ? words : chatWords.pleaseTryAgain(agent.name);
    outbox.send({ worldId, chatId, content });
  };
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      <Button size="small" onClick={again}>
        {chatWords.tryAgain}
      </Button>
      <Button size="small" onClick={() => navigate(paths.agent(worldId, agentId))}>
        {chatWords.editAgent}
      </Button>
      <Button size="small" onClick={() => navigate(paths.page(worldId, 'start'))}>
        {chatWords.realModel}
      </Button>
    </div>
  );
}
