import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useChat, useClient } from '../data/connection.js';
import { Failed, Loading } from '../shell/frame.js';
import { Dialog } from '../ui/dialog.js';
import { TimelineView } from './timeline-view.js';

export function TimelineDialog({
  worldId,
  chatId,
  onClose,
}: {
  worldId: string;
  chatId: string;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const agents = useChat((state) => state.agents);
  const status = useChat((state) => state.status);
  const turns = useQuery({
    queryKey: ['timeline', worldId, chatId],
    queryFn: ({ signal }) => client.timeline(worldId, chatId, {}, { signal }),
    refetchInterval: status === 'idle' ? false : 2000,
  });
  return (
    <Dialog title="Timeline" onClose={onClose}>
      {turns.isPending ? <Loading what="the turns" /> : null}
      {turns.isError ? <Failed why={turns.error.message} /> : null}
      {turns.data?.items.length === 0 ? <p className="text-sm text-ink-3">No agent has taken a turn yet.</p> : null}
      <div className="space-y-6">
        {turns.data?.items.map((turn) => (
          <TimelineView key={turn.turnId} turn={turn} agents={agents} />
        ))}
      </div>
    </Dialog>
  );
}
