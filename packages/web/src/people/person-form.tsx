import { personRoleSchema, ROLES, type Person, type PersonRole } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useWorlds } from '../data/use-lists.js';
import { useSaving } from '../form/use-saving.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { Dialog } from '../ui/dialog.js';
import { Select, TextField } from '../form/field.js';
import { peopleWords } from '../words/people.js';

/** Adds a person, or changes their name, address and roles. `isOwner`: only owners can make someone an owner. */
export function PersonForm({
  person,
  isOwner,
  onSaved,
  onClose,
}: {
  person?: Person | undefined;
  isOwner: boolean;
  onSaved: (saved: Person) => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const worlds = useWorlds();
  const { values, text } = useFields(saving, () => ({ name: person?.name ?? '', email: person?.email ?? '' }));
  const [role, setRole] = useState<PersonRole | null>(person === undefined ? 'member' : person.role);
  const [worldRoles, setWorldRoles] = useState<Readonly<Record<string, PersonRole>>>(person?.worldRoles ?? {});
  const submit = async (): Promise<void> => {
    const name = values.name.trim();
    if (name === '') return saving.refuse('name', peopleWords.noName);
    const email = values.email.trim();
    const rights = { role, worldRoles: withoutOwner(worldRoles) };
    await saving.load(async () => {
      onSaved(
        person === undefined
          ? await client.addPerson({ name, ...(email === '' ? {} : { email }), ...rights })
          : await client.updatePerson(person.id, { name, email: email === '' ? null : email, ...rights }),
      );
    });
  };
  const offered = ROLES.filter((each) => each !== 'owner' || isOwner || person?.role === 'owner');
  return (
    <Dialog title={person === undefined ? peopleWords.addTitle : peopleWords.editTitle(person.name)} onClose={onClose}>
      <Form
        saving={saving}
        submit={person === undefined ? peopleWords.addAndInvite : peopleWords.save}
        onCancel={onClose}
        onSubmit={submit}
        noValidate
      >
        <TextField label={peopleWords.name} autoComplete="off" maxLength={100} {...text('name')} />
        <TextField label={peopleWords.email} type="email" autoComplete="off" {...text('email')} />
        <Select
          label={peopleWords.role}
          error={saving.errorOf('role')}
          options={[
            ...offered.map((each) => ({ value: each, label: peopleWords.roleHints[each] })),
            { value: '', label: peopleWords.noServerRole },
          ]}
          value={role ?? ''}
          onChange={({ target }) => setRole(roleOf(target.value) ?? null)}
        />
        {worlds.kind !== 'ready' || worlds.data.length === 0 ? null : (
          <details open={role === null || Object.keys(worldRoles).length > 0}>
            <summary className="w-fit text-sm font-medium">{peopleWords.worldRoles}</summary>
            <p className="mt-1 text-[0.8125rem] text-ink-3">
              {saving.errorOf('worldRoles') ?? peopleWords.worldRolesHint}
            </p>
            <div className="mt-2 grid gap-3 sm:grid-cols-2">
              {worlds.data.map((world) => (
                <Select
                  key={world.id}
                  label={world.name}
                  options={[
                    { value: '', label: role === null ? peopleWords.noRole : peopleWords.sameAsServer },
                    ...ROLES.filter((each) => each !== 'owner').map((each) => ({
                      value: each,
                      label: peopleWords.roles[each],
                    })),
                  ]}
                  value={worldRoles[world.id] ?? ''}
                  onChange={({ target }) => setWorldRoles(withRole(worldRoles, world.id, roleOf(target.value)))}
                />
              ))}
            </div>
          </details>
        )}
      </Form>
    </Dialog>
  );
}

function roleOf(value: string): PersonRole | undefined {
  return personRoleSchema.safeParse(value).data;
}

function withRole(
  roles: Readonly<Record<string, PersonRole>>,
  world: string,
  role: PersonRole | undefined,
): Readonly<Record<string, PersonRole>> {
  const others = Object.entries(roles).filter(([each]) => each !== world);
  return Object.fromEntries(role === undefined ? others : [...others, [world, role]]);
}

/** Nobody is an owner of a single world. */
function withoutOwner(roles: Readonly<Record<string, PersonRole>>): Record<string, Exclude<PersonRole, 'owner'>> {
  return Object.fromEntries(Object.entries(roles).flatMap(([id, role]) => (role === 'owner' ? [] : [[id, role]])));
}
