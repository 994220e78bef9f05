import { userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@countersign/core';
import type { PersonRecord, Store } from '@countersign/core/ports';
import { CountersignError, SYSTEM } from '@countersign/protocol';
import { lockFile } from '@countersign/storage';
import { changePeople } from '../people/change-people.js';
import { isOwnWayIn } from '../people/manage-sessions.js';
import { prepareHome } from './home-folder.js';
import { describeOwner } from './home-owner.js';
import { openStore, takeDatabase } from './open-home.js';

/** What a reset removed, and whether someone still has a trusted passkey. If not, the next one that anybody registers is trusted. */
export interface PasskeyReset {
  person: { id: string; name: string };
  removed: number;
  /** Sessions that ended. An open one would limit the person's next invitation, which then could not add a passkey (WHO5.1). */
  sessions: number;
  /** Tokens with which the person can still sign in. They limit invitations, too. */
  tokensLeft: number;
  trustedLeft: number;
}

/**
 * Removes all passkeys of a person who lost them. Works only while no server runs on this home folder, so that nobody can do it through a
 * server. Anyone who can write to the store could do it anyway.
 */
export async function resetPasskeys(home: string, env: NodeJS.ProcessEnv, name: string): Promise<PasskeyReset> {
  const folder = prepareHome(home);
  const unlock = lockFile(join(folder, 'lock'));
  if (unlock === undefined) {
    const detail = `The home folder ${folder} is in use by ${describeOwner(folder)}. Stop it before you reset passkeys.`;
    throw new CountersignError('store-locked', detail);
  }
  try {
    const store = await openStore(folder, takeDatabase(env), systemClock);
    try {
      return await reset(store, name);
    } finally {
      await store.close();
    }
  } finally {
    unlock();
  }
}

async function reset(store: Store, name: string): Promise<PasskeyReset> {
  return await changePeople(store, { who: SYSTEM, via: 'terminal' }, async (tx) => {
    const { id, name: found } = find(await tx.people(), name);
    const before = await tx.passkeys();
    const theirs = before.filter(({ person }) => person.id === id);
    const trusted = before.filter(({ person, credential }) => person.id !== id && credential.data.passkey?.trusted);
    const { length: sessions } = await tx.credentials(id, 'session');
    const tokens = (await tx.credentials(id, 'token')).filter(isOwnWayIn);
    const value = {
      person: { id, name: found },
      removed: theirs.length,
      sessions,
      tokensLeft: tokens.length,
      trustedLeft: trusted.length,
    };
    if (theirs.length + sessions === 0) return { value };
    await tx.endCredentials(id, 'passkey');
    await tx.endCredentials(id, 'session');
    const names = theirs.map(({ credential }) => `"${credential.name}" (${credential.id})`).join(', ') || 'no passkeys';
    const why = `${id}: ${names}, and ${sessions} sessions, with the server stopped, by the system user ${userName()}`;
    return { value, record: { decision: 'passkeys reset', why } };
  });
}

function find(people: readonly PersonRecord[], name: string): PersonRecord {
  const wanted = name.normalize('NFKC').toLowerCase();
  const found =
    people.find(({ id }) => id === name) ?? people.find((each) => each.name.normalize('NFKC').toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw new CountersignError('not-found', `There is no person "${name}".`);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // The user has no name, as in some containers.
    return 'without a name';
  }
}
