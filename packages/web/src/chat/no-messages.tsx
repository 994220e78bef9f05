import { EXTERNAL_PROVIDER, type Agent } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { paths } from '../shell/paths.js';
import { chatWords } from '../words/chat.js';
import { takesSentences } from './tell-agent.js';

/** In place of the message field, in the chat of a program outside. A message would go to another agent, or to nobody (EXT1). */
export function NoMessages({
  agent,
  agents,
  worldId,
}: {
  agent: Agent;
  agents: readonly Agent[];
  worldId: string;
}): ReactElement {
  const hasOthers = agents.some(({ active, provider }) => active && provider !== EXTERNAL_PROVIDER);
  return (
    <p
      role="note"
      data-landing="keyboard"
      className="mx-auto w-full max-w-[56rem] rounded-xl border border-line bg-sunken px-3.5 py-2.5 text-sm text-ink-2 [overflow-wrap:anywhere]"
    >
      {(takesSentences(agent) ? chatWords.takesSentences : chatWords.takesNoMessages)(<bdi>{agent.name}</bdi>)}
      {hasOthers ? (
        <>
          {' '}
          {chatWords.messageOthers(
            <Link href={paths.world(worldId)} className="text-blue hover:underline">
              {chatWords.newChatLink}
            </Link>,
          )}
        </>
      ) : null}
    </p>
  );
}
