import type { CredentialsTable, GroupsTable, PeopleTable } from '../schema.js';
import { insertInto, prepared, type Cells, type RowOf } from './prepared.js';

export const personColumns = [
  'id',
  'name',
  'name_key',
  'email',
  'email_key',
  'role',
  'world_roles',
  'status',
  'rev',
  'created_at',
  'oidc',
  'oidc_key',
] as const satisfies readonly (keyof PeopleTable)[];
export type PersonRow = Cells<PeopleTable, typeof personColumns>;

export const credentialColumns = [
  'id',
  'person_id',
  'kind',
  'name',
  'hash',
  'data',
  'parent_id',
  'created_at',
  'used_at',
  'expires_at',
  'ended_at',
] as const satisfies readonly (keyof CredentialsTable)[];
export type CredentialRow = Cells<CredentialsTable, typeof credentialColumns>;

export const groupColumns = ['name', 'people', 'oidc_group'] as const satisfies readonly (keyof GroupsTable)[];
export type GroupRow = Cells<GroupsTable, typeof groupColumns>;

export type PeopleStatements = typeof peopleStatements & ReturnType<typeof credentialStatements>;

const person = `select ${personColumns.join(', ')} from people`;
const joined = [...credentialColumns.map((column) => `c.${column}`), ...personColumns.map((column) => `p.${column}`)];

export function credentialStatements(elementsOf: (list: string) => string) {
  return {
    /** `ids` is a JSON array. */
    credentialsById: prepared<{ ids: string }, [...CredentialRow, ...PersonRow]>(
      `select ${joined.join(', ')} from credentials c inner join people p on p.id = c.person_id where c.id in (${elementsOf(':ids')})`,
    ),
  };
}

export const peopleStatements = {
  people: prepared<object, PersonRow>(`${person} order by ordinal`),
  person: prepared<{ id: string }, PersonRow>(`${person} where id = :id`),
  personByEmail: prepared<{ emailKey: string }, [id: string]>(
    `select id from people where email_key = :emailKey and status <> 'removed' and email_key is not null`,
  ),
  personByOidc: prepared<{ oidcKey: string }, PersonRow>(
    `${person} where oidc_key = :oidcKey and oidc_key is not null`,
  ),
  insertPerson: insertInto<PeopleTable>('people', personColumns, ' on conflict do nothing'),
  updatePerson: prepared<Omit<RowOf<PeopleTable>, 'createdAt'>>(
    'update people set name = :name, name_key = :nameKey, email = :email, email_key = :emailKey, role = :role, world_roles = :worldRoles, status = :status, oidc = :oidc, oidc_key = :oidcKey, rev = rev + 1 where id = :id and rev = :rev',
  ),
  credential: prepared<{ id: string }, [...CredentialRow, ...PersonRow]>(
    `select ${joined.join(', ')} from credentials c inner join people p on p.id = c.person_id where c.id = :id`,
  ),
  credentials: prepared<{ personId: string; kind: string; now: number }, CredentialRow>(
    `select ${credentialColumns.join(', ')} from credentials where person_id = :personId and kind = :kind and ended_at is null and (expires_at is null or expires_at > :now) order by ordinal`,
  ),
  passkeys: prepared<object, [...CredentialRow, ...PersonRow]>(
    `select ${joined.join(', ')} from credentials c inner join people p on p.id = c.person_id where c.kind = 'passkey' and c.ended_at is null order by c.ordinal`,
  ),
  delegations: prepared<object, CredentialRow>(
    `select ${credentialColumns.join(', ')} from credentials where kind = 'delegation' and ended_at is null order by ordinal`,
  ),
  insertCredential: insertInto<CredentialsTable>('credentials', credentialColumns),
  forgetCredentials: prepared<{ before: number; now: number }>(
    `delete from credentials where (kind not in ('token', 'passkey') and (ended_at <= :before or expires_at <= :before)) or (kind = 'challenge' and expires_at <= :now)`,
  ),
  updateCredential: prepared<{ id: string; data: string }>(
    'update credentials set data = :data where id = :id and ended_at is null',
  ),
  useCredential: prepared<{ id: string; usedAt: number; expiresAt: number | null }>(
    'update credentials set used_at = :usedAt, expires_at = :expiresAt where id = :id and ended_at is null',
  ),
  endCredential: prepared<{ id: string; now: number }>(
    'update credentials set ended_at = :now where id = :id and ended_at is null and (expires_at is null or expires_at > :now)',
  ),
  endSessionsOf: prepared<{ parentId: string; now: number }>(
    'update credentials set ended_at = :now where person_id = (select person_id from credentials where id = :parentId) and parent_id = :parentId and ended_at is null',
  ),
  endCredentials: prepared<{ personId: string; kind: string | null; now: number }>(
    `update credentials set ended_at = :now where person_id = :personId and kind = coalesce(:kind, nullif(kind, 'passkey')) and ended_at is null`,
  ),
  groups: prepared<object, GroupRow>(`select ${groupColumns.join(', ')} from people_groups order by name`),
  putGroup: insertInto<GroupsTable>(
    'people_groups',
    groupColumns,
    ' on conflict (name) do update set people = excluded.people, oidc_group = excluded.oidc_group',
  ),
  deleteGroup: prepared<{ name: string }>('delete from people_groups where name = :name'),

  // Like the row of a deleted world: it only has an audit log.
  insertServerLog: prepared<{ id: string; now: number }>(
    `insert into worlds (id, name, settings, rev, event_seq, audit_seq, audit_hash, created_at, deleted_at) values (:id, '', '{}', 1, 0, 0, '', :now, :now) on conflict (id) do nothing`,
  ),
  lockServerLog: prepared<{ id: string }>('update worlds set rev = rev + 1 where id = :id'),
};
