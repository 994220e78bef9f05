import { groupNameSchema, type Group, type Person } from '@countersign/protocol';
import { type ReactElement, type SyntheticEvent, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { useSaving } from '../form/use-saving.js';
import { Button } from '../ui/button.js';
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
  const [name, setName] = useState(group?.name ?? '');
  const [members, setMembers] = useState<readonly string[]>(group?.people ?? []);
  const [oidcGroup, setOidcGroup] = useState(group?.oidcGroup ?? '');
  const ways = useRead({ key: ['sign-in-ways'], read: (signal) => client.signInWays({ signal }) });
  const hasOidc = oidcGroup !== '' || (ways.kind === 'ready' && ways.data.oidc !== undefined);
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    const read = groupNameSchema.safeParse(name.trim());
    if (!read.success) return saving.refuse('name', read.error.issues[0]?.message ?? '');
    // Saving would replace the people of the other group.
    if (group === undefined && groups.some((each) => each.name === read.data))
      return saving.refuse('name', peopleWords.groupExists);
    const mapped = oidcGroup.trim() === '' ? {} : { oidcGroup: oidcGroup.trim() };
    const isSaved = await saving.run(
      () => client.putGroup(read.data, { people: [...members], ...mapped }),
      peopleWords.groupSaved(read.data),
    );
    if (isSaved) onSaved();
  };
  return (
    <Dialog title={group === undefined ? peopleWords.newGroup : peopleWords.editGroup(group.name)} onClose={onClose}>
      <form ref={saving.form} className="space-y-4" onSubmit={(event) => void submit(event)} noValidate>
        {group === undefined ? (
          <TextField
            label={peopleWords.groupName}
            hint={peopleWords.groupNameHint}
            error={saving.errorOf('name') ?? saving.errorOf('group')}
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={({ target }) => setName(target.value)}
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
            error={saving.errorOf('oidcGroup')}
            autoComplete="off"
            spellCheck={false}
            value={oidcGroup}
            onChange={({ target }) => setOidcGroup(target.value)}
          />
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{peopleWords.cancel}</Button>
          <Button look="primary" type="submit" disabled={saving.busy}>
            {peopleWords.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
