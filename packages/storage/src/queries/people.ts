import { credentials, people, peopleGroups, type Cells, type RowOf } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type PersonRow = Cells<typeof people>;
export type CredentialRow = Cells<typeof credentials>;
export type GroupRow = Cells<typeof peopleGroups>;

export type PeopleStatements = typeof peopleStatements & ReturnType<typeof credentialStatements>;

const person = `select ${people.names.join(', ')} from people`;
const joined = [...credentials.names.map((column) => `c.${column}`), ...people.names.map((column) => `p.${column}`)];

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
  insertPerson: insertInto(people, ' on conflict do nothing'),
  updatePerson: prepared<Omit<RowOf<typeof people>, 'createdAt'>>(
    'update people set name = :name, name_key = :nameKey, email = :email, email_key = :emailKey, role = :role, world_roles = :worldRoles, status = :status, oidc = :oidc, oidc_key = :oidcKey, rev = rev + 1 where id = :id and rev = :rev',
  ),
  credential: prepared<{ id: string }, [...CredentialRow, ...PersonRow]>(
    `select ${joined.join(', ')} from credentials c inner join people p on p.id = c.person_id where c.id = :id`,
  ),
  credentials: prepared<{ personId: string; kind: string; now: number }, CredentialRow>(
    `select ${credentials.names.join(', ')} from credentials where person_id = :personId and kind = :kind and ended_at is null and (expires_at is null or expires_at > :now) order by ordinal`,
  ),
  passkeys: prepared<object, [...CredentialRow, ...PersonRow]>(
    `select ${joined.join(', ')} from credentials c inner join people p on p.id = c.person_id where c.kind = 'passkey' and c.ended_at is null order by c.ordinal`,
  ),
  subscriptions: prepared<object, [...CredentialRow, ...PersonRow]>(
    `select ${joined.join(', ')} from credentials c inner join people p on p.id = c.person_id where c.kind = 'push' and c.ended_at is null order by c.ordinal`,
  ),
  delegations: prepared<object, CredentialRow>(
    `select ${credentials.names.join(', ')} from credentials where kind = 'delegation' and ended_at is null order by ordinal`,
  ),
  insertCredential: insertInto(credentials),
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
  groups: prepared<object, GroupRow>(`select ${peopleGroups.names.join(', ')} from people_groups order by name`),
  putGroup: insertInto(
    peopleGroups,
    ' on conflict (name) do update set people = excluded.people, oidc_group = excluded.oidc_group',
  ),
  deleteGroup: prepared<{ name: string }>('delete from people_groups where name = :name'),

  // Like the row of a deleted world: it only has an audit log.
  insertServerLog: prepared<{ id: string; now: number }>(
    `insert into worlds (id, name, settings, rev, event_seq, audit_seq, audit_hash, created_at, deleted_at) values (:id, '', '{}', 1, 0, 0, '', :now, :now) on conflict (id) do nothing`,
  ),
  lockServerLog: prepared<{ id: string }>('update worlds set rev = rev + 1 where id = :id'),
};
