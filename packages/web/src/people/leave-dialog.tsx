import type { Person } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { attempt, say } from '../notices/toast.js';
import { StuckRules } from './stuck-rules.js';
import { peopleWords } from '../words/people.js';

/** Confirms that a person is disabled or removed, and names the groups and rules that need them. */
export function LeaveDialog({
  person,
  how,
  groups,
  onDone,
  onClose,
}: {
  person: Person;
  how: 'disable' | 'remove';
  groups: readonly string[];
  onDone: () => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const stuck = useRead({
    key: ['stuck-rules', person.id],
    read: (signal) => client.stuckRules({ without: person.id }, { signal }),
    forget: true,
  });
  const isRemoval = how === 'remove';
  const leave = async (): Promise<void> => {
    setBusy(true);
    const work = isRemoval ? client.removePerson(person.id) : client.updatePerson(person.id, { status: 'disabled' });
    const isDone = await attempt(`leave-${person.id}`, work);
    setBusy(false);
    if (!isDone) return;
    say(isRemoval ? peopleWords.removedDone(person.name) : peopleWords.disabledDone(person.name), 'green');
    onDone();
  };
  return (
    <Dialog
      title={isRemoval ? peopleWords.removeTitle(person.name) : peopleWords.disableTitle(person.name)}
      onClose={onClose}
    >
      <div className="space-y-3 text-sm">
        <p>{isRemoval ? peopleWords.removeText : peopleWords.disableText}</p>
        {groups.length === 0 ? null : <p>{peopleWords.inGroups(groups.map((group) => `@${group}`).join(', '))}</p>}
        {stuck.kind === 'ready' ? (
          <StuckRules title={peopleWords.stuckAfter} rules={stuck.data.items} />
        ) : (
          <NotRead read={stuck} what={peopleWords.checking} />
        )}
        <div className="flex justify-end gap-2 pt-1">
          <Button onClick={onClose}>{peopleWords.cancel}</Button>
          <Button
            look="danger"
            icon={isRemoval ? 'trash' : 'ban'}
            disabled={busy || stuck.kind === 'loading'}
            onClick={() => void leave()}
          >
            {isRemoval ? peopleWords.remove : peopleWords.disable}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
