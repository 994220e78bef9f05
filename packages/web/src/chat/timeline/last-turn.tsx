import type { ReactElement } from 'react';
import { useChat, useClient } from '../../data/connection.js';
import { useRead } from '../../data/use-read.js';
import { TimelineView } from './timeline-view.js';
import { turnsOf } from './turns-of.js';
import { chatWords } from '../../words/chat.js';

/** A small timeline of the newest turn, at the bottom of the column. */
export default function LastTurn(): ReactElement | null {
  const client = useClient();
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const agents = useChat((state) => state.agents);
  const turnId = useChat((state) => turnsOf(state)[0]);
  // The calls show what a turn does, so the timeline is reloaded when one changes.
  const change = useChat(
    (state) => `${state.status} ${state.openInvocations.length} ${state.queue.length} ${state.transcript.length}`,
  );
  const turn = useRead({
    key: ['timeline', worldId, chatId],
    revision: `${turnId} ${change}`,
    read: (signal) => client.timeline(worldId, chatId, turnId ?? '', { signal }),
    enabled: turnId !== undefined,
  });
  if (turn.kind !== 'ready' || turn.data.spans.length === 0) return null;
  return (
    <section
      aria-label={chatWords.lastTurn}
      tabIndex={0}
      className="scroll-quiet h-full overflow-y-auto border-t border-line px-4 py-3"
    >
      <TimelineView turn={turn.data} agents={agents} />
    </section>
  );
}
