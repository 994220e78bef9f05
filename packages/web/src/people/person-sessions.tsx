import type { Person } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { SessionList } from '../account/session-list.js';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { attempt, say } from '../notices/toast.js';
import { peopleWords } from '../words/people.js';

/** Where a person is signed in. An admin can end these sessions. */
export function PersonSessions({ person, onClose }: { person: Person; onClose: () => void }): ReactElement {
  const client = useClient();
  const sessions = useRead({
    key: ['sessions', person.id],
    read: (signal) => client.personSessions(person.id, { signal }),
  });
  const end = async (id?: string): Promise<void> => {
    if (!(await attempt('end-session', client.endPersonSessions(person.id, id)))) return;
    say(id === undefined ? peopleWords.allEnded(person.name) : peopleWords.sessionEnded, 'green');
    await sessions.reread();
  };
  return (
    <Dialog title={peopleWords.sessionsOf(person.name)} onClose={onClose}>
      {sessions.kind === 'ready' ? (
        <SessionList sessions={sessions.data.items} onEnd={(session) => void end(session.id)} />
      ) : (
        <NotRead read={sessions} what={peopleWords.theSessions} />
      )}
      <div className="mt-4 flex justify-end gap-2">
        {sessions.kind === 'ready' && sessions.data.items.some(({ current }) => !current) ? (
          <Button look="danger" onClick={() => void end()}>
            {peopleWords.endAll}
          </Button>
        ) : null}
        <Button onClick={onClose}>{peopleWords.close}</Button>
      </div>
    </Dialog>
  );
}
