import type { Group, Person } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../form/confirm.js';
import { RowList } from '../ui/row-list.js';
import { Section } from '../ui/section.js';
import { attempt } from '../notices/toast.js';
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
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    onChanged();
  };
  const remove = async ({ name }: Group): Promise<void> => {
    if (await attempt(`remove-group-${name}`, client.removeGroup(name), peopleWords.groupRemoved(name))) done();
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
      <RowList items={groups} keyOf={({ name }) => name} empty={peopleWords.noGroups}>
        {(group, row) => (
          <>
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere] max-sm:basis-full">
              <p id={row.id} className="font-semibold">
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
                <Button {...row.button} onClick={() => setOpen({ kind: 'edit', group })}>
                  {peopleWords.edit}
                </Button>
                <Button {...row.button} look="danger" onClick={() => setOpen({ kind: 'remove', group })}>
                  {peopleWords.remove}
                </Button>
              </>
            ) : null}
          </>
        )}
      </RowList>
      {open?.kind === 'edit' ? (
        <GroupForm group={open.group} groups={groups} people={people} onSaved={done} onClose={close} />
      ) : null}
      {open?.kind === 'remove' ? (
        <Confirm
          title={peopleWords.removeGroupTitle(open.group.name)}
          action={peopleWords.remove}
          icon="trash"
          onConfirm={() => remove(open.group)}
          onClose={close}
        >
          {peopleWords.removeGroupText}
        </Confirm>
      ) : null}
    </Section>
  );
}
