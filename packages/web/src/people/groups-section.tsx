import type { Group, Person } from '@countersign/protocol';
import { type ReactElement, useId, useState } from 'react';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Dialog } from '../ui/dialog.js';
import { Section } from '../ui/section.js';
import { attempt, say } from '../notices/toast.js';
import { Visible } from '../text/visible.js';
import { GroupForm } from './group-form.js';
import { peopleWords } from '../words/people.js';

type Open = { kind: 'edit'; group?: Group } | { kind: 'remove'; group: Group };

/** Named lists of people that rules can refer to. */
export function GroupsSection({
  groups,
  people,
  mayChange,
  onChanged,
}: {
  groups: readonly Group[];
  people: readonly Person[];
  mayChange: boolean;
  onChanged: () => void;
}): ReactElement {
  const client = useClient();
  const listId = useId();
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    onChanged();
  };
  const remove = async ({ name }: Group): Promise<void> => {
    if (!(await attempt(`remove-group-${name}`, client.removeGroup(name)))) return;
    say(peopleWords.groupRemoved(name), 'green');
    done();
  };
  const named = (ids: readonly string[]): string =>
    ids.map((id) => people.find((person) => person.id === id)?.name ?? id).join(', ') || peopleWords.nobody;
  return (
    <Section
      title={peopleWords.groups}
      lead={peopleWords.groupsLead}
      actions={
        mayChange ? (
          <Button size="small" icon="plus" onClick={() => setOpen({ kind: 'edit' })}>
            {peopleWords.newGroup}
          </Button>
        ) : null
      }
    >
      {groups.length === 0 ? <p className="text-sm text-ink-3">{peopleWords.noGroups}</p> : null}
      <ul className="space-y-2">
        {groups.map((group) => (
          <li key={group.name}>
            <Card className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 text-sm">
              <div className="min-w-0 flex-1 [overflow-wrap:anywhere] max-sm:basis-full">
                <p id={`${listId}-${group.name}`} className="font-semibold">
                  @{group.name}
                </p>
                <p className="text-[0.8125rem] text-ink-3">
                  <Visible text={named(group.people)} />
                </p>
                {group.oidcGroup === undefined ? null : (
                  <p className="text-[0.8125rem] text-ink-3">
                    <Visible text={peopleWords.oidcMembers(group.oidcGroup, named(group.oidcMembers ?? []))} />
                  </p>
                )}
              </div>
              {mayChange ? (
                <>
                  <Button
                    size="small"
                    aria-describedby={`${listId}-${group.name}`}
                    onClick={() => setOpen({ kind: 'edit', group })}
                  >
                    {peopleWords.edit}
                  </Button>
                  <Button
                    size="small"
                    look="danger"
                    aria-describedby={`${listId}-${group.name}`}
                    onClick={() => setOpen({ kind: 'remove', group })}
                  >
                    {peopleWords.remove}
                  </Button>
                </>
              ) : null}
            </Card>
          </li>
        ))}
      </ul>
      {open?.kind === 'edit' ? (
        <GroupForm group={open.group} groups={groups} people={people} onSaved={done} onClose={close} />
      ) : null}
      {open?.kind === 'remove' ? (
        <Dialog title={peopleWords.removeGroupTitle(open.group.name)} onClose={close}>
          <p className="text-sm">{peopleWords.removeGroupText}</p>
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={close}>{peopleWords.cancel}</Button>
            <Button look="danger" icon="trash" onClick={() => void remove(open.group)}>
              {peopleWords.remove}
            </Button>
          </div>
        </Dialog>
      ) : null}
    </Section>
  );
}
