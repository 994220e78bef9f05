import { groupNameSchema, type Group, type Person } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { useSaving } from '../form/use-saving.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { Dialog } from '../ui/dialog.js';
import { Checkbox, TextField } from '../form/field.js';
import { peopleWords } from '../words/people.js';

/** Creates a group, or changes who is in it. Its name stays: rules refer to it. */
export function GroupForm({
  group,
  groups,
  people,
  onSaved,
  onClose,
}: {
  group?: Group | undefined;
  groups: readonly Group[];
  people: readonly Person[];
  onSaved: () => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const { values, text } = useFields(saving, () => ({ name: group?.name ?? '', oidcGroup: group?.oidcGroup ?? '' }));
  const [members, setMembers] = useState<readonly string[]>(group?.people ?? []);
  const ways = useRead({ key: ['sign-in-ways'], read: (signal) => client.signInWays({ signal }) });
  const hasOidc = values.oidcGroup !== '' || (ways.kind === 'ready' && ways.data.oidc !== undefined);
  const submit = async (): Promise<void> => {
    const oidcGroup = values.oidcGroup.trim();
    const read = groupNameSchema.safeParse(values.name.trim());
    if (!read.success) return saving.refuse('name', read.error.issues[0]?.message ?? '');
    // Saving would replace the people of the other group.
    if (group === undefined && groups.some((each) => each.name === read.data))
      return saving.refuse('name', peopleWords.groupExists);
    const mapped = oidcGroup === '' ? {} : { oidcGroup };
    const isSaved = await saving.run(
      () => client.putGroup(read.data, { people: [...members], ...mapped }),
      peopleWords.groupSaved(read.data),
    );
    if (isSaved) onSaved();
  };
  return (
    <Dialog title={group === undefined ? peopleWords.newGroup : peopleWords.editGroup(group.name)} onClose={onClose}>
      <Form saving={saving} submit={peopleWords.save} onCancel={onClose} onSubmit={submit} noValidate>
        {group === undefined ? (
          <TextField
            label={peopleWords.groupName}
            hint={peopleWords.groupNameHint}
            autoComplete="off"
            spellCheck={false}
            {...text('name')}
            error={saving.errorOf('name') ?? saving.errorOf('group')}
          />
        ) : null}
        <fieldset className="space-y-2">
          <legend className="mb-1 text-sm font-medium">{peopleWords.groupPeople}</legend>
          {people.map(({ id, name: each }) => (
            <Checkbox
              key={id}
              label={each}
              checked={members.includes(id)}
              onChange={({ target }) =>
                setMembers(target.checked ? [...members, id] : members.filter((member) => member !== id))
              }
            />
          ))}
        </fieldset>
        {hasOidc ? (
          <TextField
            label={peopleWords.oidcGroup}
            hint={peopleWords.oidcGroupHint}
            autoComplete="off"
            spellCheck={false}
            {...text('oidcGroup')}
          />
        ) : null}
      </Form>
    </Dialog>
  );
}
