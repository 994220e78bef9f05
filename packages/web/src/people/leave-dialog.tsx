import type { Person } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Loaded } from '../shell/frame.js';
import { Confirm } from '../form/confirm.js';
import { attempt } from '../notices/toast.js';
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
    const done = isRemoval ? peopleWords.removedDone(person.name) : peopleWords.disabledDone(person.name);
    const isDone = await attempt(`leave-${person.id}`, work, done);
    setBusy(false);
    if (isDone) onDone();
  };
  return (
    <Confirm
      title={isRemoval ? peopleWords.removeTitle(person.name) : peopleWords.disableTitle(person.name)}
      action={isRemoval ? peopleWords.remove : peopleWords.disable}
      icon={isRemoval ? 'trash' : 'ban'}
      disabled={busy || stuck.kind === 'loading'}
      onConfirm={leave}
      onClose={onClose}
    >
      <p>{isRemoval ? peopleWords.removeText : peopleWords.disableText}</p>
      {groups.length === 0 ? null : <p>{peopleWords.inGroups(groups.map((group) => `@${group}`).join(', '))}</p>}
      <Loaded read={stuck} what={peopleWords.checking}>
        {({ items }) => <StuckRules title={peopleWords.stuckAfter} rules={items} />}
      </Loaded>
    </Confirm>
  );
}
