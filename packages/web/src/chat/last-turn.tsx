import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useDeferredValue } from 'react';
import { useChat, useClient } from '../data/connection.js';
import { newest } from './newest-turn.js';
import { TimelineView } from './timeline-view.js';

/** The newest turn of the chat, small, at the foot of the column. */
export default function LastTurn(): ReactElement | null {
  const client = useClient();
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const agents = useChat((state) => state.agents);
  const status = useChat((state) => state.status);
  const rows = useDeferredValue(useChat((state) => state.transcript.length));
  const turns = useQuery({
    queryKey: ['timeline', worldId, chatId, rows, status],
    queryFn: ({ signal }) => client.timeline(worldId, chatId, {}, { signal }),
    placeholderData: (before) => before,
    retry: false,
  });
  const turn = newest(turns.data?.items ?? []);
  if (turn === undefined) return null;
  return (
    <section aria-label="Last turn" className="border-t border-line px-4 py-3">
      <TimelineView turn={turn} agents={agents} />
    </section>
  );
}
