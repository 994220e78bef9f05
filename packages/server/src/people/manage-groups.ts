import { oidcMembersOf } from '@countersign/core';
import type { GroupRecord, PersonRecord, Store } from '@countersign/core/ports';
import { CountersignError, type Group, type GroupChange } from '@countersign/protocol';
import type { By } from './by.js';
import { changePeople } from './change-people.js';

export async function listGroups(store: Store): Promise<Group[]> {
  return await store.read(async (reader) => {
    const people = await reader.people();
    return (await reader.groups()).map((group) => toGroup(group, people));
  });
}

export async function readGroup(store: Store, name: string): Promise<Group> {
  const found = (await listGroups(store)).find((group) => group.name === name);
  if (found === undefined) throw unknown(name);
  return found;
}

/** Creates or replaces a group. */
export async function putGroup(store: Store, name: string, change: GroupChange, by: By): Promise<Group> {
  return await changePeople(store, by.signer, async (tx) => {
    const people = [...new Set(change.people)];
    const all = await tx.people();
    const present = new Set(all.filter(({ status }) => status !== 'removed').map(({ id }) => id));
    const missing = people.find((id) => !present.has(id));
    if (missing !== undefined)
      throw new CountersignError('invalid', `people: there is no person "${missing}"`, { field: 'people' });
    // In a rule, `@name` means a group or a person.
    if (all.some(({ id }) => id === name))
      throw new CountersignError('conflict', `name: there is already a person with the id "${name}"`, {
        field: 'name',
      });
    const group = { name, people, oidcGroup: change.oidcGroup ?? null };
    await tx.putGroup(group);
    const why = `${name}: ${people.join(', ') || 'nobody'}${group.oidcGroup === null ? '' : `, OIDC ${group.oidcGroup}`}`;
    return { value: toGroup(group, all), record: { decision: 'group changed', why } };
  });
}

export async function removeGroup(store: Store, name: string, by: By): Promise<void> {
  await changePeople(store, by.signer, async (tx) => {
    if (!(await tx.deleteGroup(name))) throw unknown(name);
    return { value: undefined, record: { decision: 'group removed', why: name } };
  });
}

function unknown(name: string): CountersignError {
  return new CountersignError('not-found', `There is no group "${name}".`);
}

function toGroup({ name, people, oidcGroup }: GroupRecord, everybody: readonly PersonRecord[]): Group {
  const fromOidc = oidcGroup === null ? {} : { oidcGroup, oidcMembers: oidcMembersOf(oidcGroup, everybody) };
  return { name, people: [...people], ...fromOidc };
}
