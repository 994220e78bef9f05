import { useQueries } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useChat, useChatStore, useClient } from '../../data/connection.js';
import { Failed, Loading } from '../../shell/frame.js';
import { Dialog } from '../../ui/dialog.js';
import { Select } from '../../form/field.js';
import { hasDecided, peopleIn } from './people-in-turns.js';
import { TimelineView } from './timeline-view.js';
import { turnsOf } from './turns-of.js';
import { chatWords } from '../../words/chat.js';

const SHOWN = 12;

/** Timelines of the chat's last turns. */
export function TimelineDialog({ onClose }: { onClose: () => void }): ReactElement {
  const client = useClient();
  const store = useChatStore();
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const agents = useChat((state) => state.agents);
  const status = useChat((state) => state.status);
  // Re-render only when the length changes: the array is new each time.
  useChat((state) => state.transcript.length);
  const turns = useQueries({
    queries: turnsOf(store.getState())
      .slice(0, SHOWN)
      .map((turnId) => ({
        queryKey: ['timeline', worldId, chatId, turnId],
        queryFn: ({ signal }: { signal: AbortSignal }) => client.timeline(worldId, chatId, turnId, { signal }),
        refetchInterval: status === 'idle' ? (false as const) : 2000,
        retry: false,
      })),
  });
  const known = turns.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const [who, setWho] = useState('');
  const people = peopleIn(known);
  const failed = turns.find(({ error }) => error !== null)?.error ?? null;
  return (
    <Dialog title={chatWords.timeline} onClose={onClose}>
      {turns.length === 0 ? <p className="text-sm text-ink-3">{chatWords.noTurns}</p> : null}
      {turns.length > 0 && known.length === 0 ? (
        failed === null ? (
          <Loading what={chatWords.theTurns} />
        ) : (
          <Failed why={failed.message} onRetry={() => turns.forEach((turn) => void turn.refetch())} />
        )
      ) : null}
      {people.length < 2 ? null : (
        <div className="mb-4 max-w-60">
          <Select
            label={chatWords.decidedBy}
            value={who}
            options={[
              { value: '', label: chatWords.anyone },
              ...people.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={({ target }) => setWho(target.value)}
          />
        </div>
      )}
      <div className="space-y-6">
        {known
          .filter((turn) => who === '' || hasDecided(turn, who))
          .map((turn) => (
            <TimelineView key={turn.turnId} turn={turn} agents={agents} />
          ))}
      </div>
    </Dialog>
  );
}
