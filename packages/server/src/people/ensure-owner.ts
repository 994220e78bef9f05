import { SERVER_LOG, type PersonRecord, type Store } from '@countersign/core/ports';
import { CountersignError, personNameSchema } from '@countersign/protocol';
import { userInfo } from 'node:os';

/** The id of the owner that the first start creates. */
const OWNER_ID = 'owner';

/** The first active owner. If the store has no people yet, the user who runs this process becomes the owner (WHO4). */
export async function ensureOwner(
  store: Pick<Store, 'read' | 'transact'>,
  name: string = userName(),
): Promise<PersonRecord> {
  const known = await store.read(async (reader) => {
    // Nobody was added before them. Runs with every request of the server's token, so it doesn't read everybody.
    const first = await reader.person(OWNER_ID);
    return first !== undefined && isActiveOwner(first) ? [first] : reader.people();
  });
  if (known.length > 0) return firstOwner(known);
  const { value } = await store.transact(SERVER_LOG, async (tx) => {
    // Several processes may start on an empty database at the same time.
    await tx.lockServerLog();
    const people = await tx.people();
    if (people.length > 0) return firstOwner(people);
    const owner = { ...NOBODY_ELSE, name, createdAt: tx.now() };
    await tx.insertPerson(owner);
    tx.record({ kind: 'policy', decision: 'person added', why: `${owner.id}: owner, created by the first start` });
    return owner;
  });
  return value;
}

const NOBODY_ELSE = {
  id: OWNER_ID,
  email: null,
  role: 'owner',
  worldRoles: {},
  status: 'active',
  rev: 1,
} as const;

function firstOwner(people: readonly PersonRecord[]): PersonRecord {
  const owner = people.find(isActiveOwner);
  // The last owner can't be removed, so someone edited the database.
  if (owner === undefined)
    throw new CountersignError('invalid', 'This database has no active owner. Restore it from a backup.');
  return owner;
}

/** The user's name, or "owner" if it can't be used as a person's name or doesn't exist, as in some containers. */
function userName(): string {
  try {
    return personNameSchema.parse(userInfo().username);
  } catch {
    return OWNER_ID;
  }
}

function isActiveOwner({ role, status }: PersonRecord): boolean {
  return role === 'owner' && status === 'active';
}
