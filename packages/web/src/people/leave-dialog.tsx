import type { Person } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { attempt, say } from '../notices/toast.js';
import { StuckRules } from './stuck-rules.js';
import { t } from '../words/people.js';

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
    say(isRemoval ? t.removedDone(person.name) : t.disabledDone(person.name), 'green');
    onDone();
  };
  return (
    <Dialog title={isRemoval ? t.removeTitle(person.name) : t.disableTitle(person.name)} onClose={onClose}>
      <div className="space-y-3 text-sm">
        <p>{isRemoval ? t.removeText : t.disableText}</p>
        {groups.length === 0 ? null : <p>{t.inGroups(groups.map((group) => `@${group}`).join(', '))}</p>}
        {stuck.kind === 'ready' ? (
          <StuckRules title={t.stuckAfter} rules={stuck.data.items} />
        ) : (
          <NotRead read={stuck} what={t.checking} />
        )}
        <div className="flex justify-end gap-2 pt-1">
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button
            look="danger"
            icon={isRemoval ? 'trash' : 'ban'}
            disabled={busy || stuck.kind === 'loading'}
            onClick={() => void leave()}
          >
            {isRemoval ? t.remove : t.disable}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
