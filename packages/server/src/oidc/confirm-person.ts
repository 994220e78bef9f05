import { announceSigners, isConfirmed, type Runtime } from '@countersign/core';
import type { PersonRecord, SecretBox } from '@countersign/core/ports';
import { SYSTEM } from '@countersign/protocol';
import { changePeople } from '../people/change-people.js';
import { endSignIn, isSameSigner, purposeOf, refreshPerson } from './admit-person.js';
import type { OidcProvider } from './oidc-provider.js';
import type { OidcSettings } from './oidc-settings.js';

/** What a sign-in works with. */
export interface OidcTools {
  settings: OidcSettings;
  /** Learns whom to ask about people whose signatures are counted. */
  runtime: Runtime;
  box: SecretBox;
  report: (error: unknown, what: string) => void;
}

/** After this time, the next request asks the provider again. */
const CHECK_AGAIN_MS = 5 * 60_000;
/** Longer than the requests of one check may take. */
const LEASE_MS = 45_000;
/** After a failed check. */
const RETRY_MS = 30_000;
const POLL_MS = 200;

const SIGNER = { who: SYSTEM, via: 'oidc' } as const;

export function needsCheck({ oidc }: PersonRecord, now: number): boolean {
  return oidc !== undefined && now - oidc.checkedAt >= CHECK_AGAIN_MS;
}

/** A person who was removed from a group loses the role, and the sessions, at the next check (WHO8.4). */
export function createConfirm(
  options: OidcTools & { provider: OidcProvider },
): (person: PersonRecord) => Promise<PersonRecord | undefined> {
  const { settings, runtime, box, report, provider } = options;
  const { store, clock } = runtime;
  /** Requests of one person share a check. */
  const running = new Map<string, Promise<void>>();
  const retryAt = new Map<string, number>();

  const read = (id: string): Promise<PersonRecord | undefined> => store.read((reader) => reader.person(id));

  /** Takes the refresh token, which may work only once. Undefined without one, or if another process has it. */
  async function take(id: string): Promise<PersonRecord | undefined> {
    return await changePeople(store, undefined, async (tx) => {
      const person = await tx.person(id);
      if (person?.oidc?.refreshToken === undefined || !needsCheck(person, tx.now())) return { value: undefined };
      if ((person.oidc.checkingUntil ?? 0) > tx.now()) return { value: undefined };
      const taken = { ...person, oidc: { ...person.oidc, checkingUntil: tx.now() + LEASE_MS } };
      return { value: (await tx.updatePerson(taken)) ? taken : undefined };
    });
  }

  async function check(id: string): Promise<void> {
    const taken = await take(id);
    if (taken?.oidc?.refreshToken === undefined) return await waitForOther(id);
    const { refreshToken: sealed } = taken.oidc;
    const opened = box.unseal(sealed, purposeOf(id));
    // With another key it can never be used again.
    const account = opened.ok ? await provider.refresh(taken.oidc, opened.value) : undefined;
    let hasChanged = false;
    await changePeople(store, SIGNER, async (tx) => {
      const person = await tx.person(id);
      // The person signed in again in the meantime.
      if (person?.oidc?.refreshToken !== sealed) return { value: undefined };
      const { record } =
        account === undefined
          ? await endSignIn(tx, person, settings)
          : await refreshPerson(tx, person, { account, settings, box });
      hasChanged = !isSameSigner(person, await tx.person(id));
      return { value: undefined, ...(record === undefined ? {} : { record }) };
    });
    if (hasChanged) await announceSigners(runtime);
  }

  /** Another process is asking. Its result is in the store. */
  async function waitForOther(id: string): Promise<void> {
    for (;;) {
      const person = await read(id);
      const until = person?.oidc?.checkingUntil ?? 0;
      if (person === undefined || until <= clock.now() || !needsCheck(person, clock.now())) return;
      await new Promise<void>((resolve) => {
        clock.after(POLL_MS, resolve);
      });
    }
  }

  async function checkOnce(id: string): Promise<void> {
    if ((retryAt.get(id) ?? 0) > clock.now()) return;
    await (running.get(id) ?? start(id));
  }

  function start(id: string): Promise<void> {
    const checking = check(id)
      .then(() => void retryAt.delete(id))
      .catch(async (error: unknown) => {
        retryAt.set(id, clock.now() + RETRY_MS);
        report(
          error instanceof Error ? (error.cause ?? error) : error,
          `${settings.name} could not confirm a person's groups`,
        );
        await release(id);
      })
      .finally(() => running.delete(id));
    running.set(id, checking);
    return checking;
  }

  async function release(id: string): Promise<void> {
    await changePeople(store, undefined, async (tx) => {
      const person = await tx.person(id);
      if (person?.oidc?.checkingUntil === undefined) return { value: undefined };
      const { checkingUntil: _until, ...oidc } = person.oidc;
      await tx.updatePerson({ ...person, oidc });
      return { value: undefined };
    }).catch((error: unknown) => report(error, 'A check of a person could not be released'));
  }

  return async (person) => {
    if (!needsCheck(person, clock.now())) return person;
    const isOurs = person.oidc?.refreshToken !== undefined;
    if (isOurs) await checkOnce(person.id);
    const now = isOurs ? await read(person.id) : person;
    return now?.status === 'active' && isConfirmed(now, clock.now()) ? now : undefined;
  };
}
