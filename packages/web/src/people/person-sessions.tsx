import type { Person } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { SessionList } from '../account/session-list.js';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Loaded } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { attempt } from '../notices/toast.js';
import { peopleWords } from '../words/people.js';

/** Where a person is signed in. An admin can end these sessions. */
export function PersonSessions({ person, onClose }: { person: Person; onClose: () => void }): ReactElement {
  const client = useClient();
  const sessions = useRead({
    key: ['sessions', person.id],
    read: (signal) => client.personSessions(person.id, { signal }),
  });
  const end = async (id?: string): Promise<void> => {
    const done = id === undefined ? peopleWords.allEnded(person.name) : peopleWords.sessionEnded;
    if (await attempt('end-session', client.endPersonSessions(person.id, id), done)) await sessions.reread();
  };
  return (
    <Dialog title={peopleWords.sessionsOf(person.name)} onClose={onClose}>
      <Loaded read={sessions} what={peopleWords.theSessions}>
        {({ items }) => <SessionList sessions={items} onEnd={(session) => void end(session.id)} />}
      </Loaded>
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
