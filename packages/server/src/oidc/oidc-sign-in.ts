import { announceSigners } from '@countersign/core';
import type { FoundCredential, PersonRecord } from '@countersign/core/ports';
import type { OidcReturn } from '@countersign/protocol';
import { z } from 'zod';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { unauthorized } from '../auth/unauthorized.js';
import { changePeople } from '../people/change-people.js';
import { admitPerson, isSameSigner } from './admit-person.js';
import { createConfirm, type OidcTools } from './confirm-person.js';
import { createOidcProvider, OidcError, type OidcAccount } from './oidc-provider.js';

/** How long a person has to sign in at the provider. */
const ATTEMPT_MS = 10 * 60_000;
const PURPOSE = ['oidc sign-in'];

const attemptSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  expiresAt: z.number(),
});
type Attempt = z.infer<typeof attemptSchema>;

/** Sign-in with an OIDC provider (WHO8). */
export interface OidcSignIn {
  /** The provider's name, for people. */
  readonly name: string;
  /**
   * The URL to open, and the attempt, encrypted, which the page keeps for its origin and sends with the answer. Nothing is stored: anyone may
   * start, any process can finish, and an answer is worth nothing in another browser.
   */
  start(redirectUri: string): Promise<{ url: string; attempt: string }>;
  /** A single-use ticket for the person. Throws an `HttpProblem` if the sign-in failed. */
  finish(given: OidcReturn, via: string): Promise<FoundCredential>;
  /** Asks the provider again if its last answer is too old. Undefined if the person must sign in again. */
  confirm(person: PersonRecord): Promise<PersonRecord | undefined>;
}

export function createOidcSignIn(options: OidcTools): OidcSignIn {
  const { settings, runtime, box, report } = options;
  const { store, clock } = runtime;
  const { name } = settings;
  const provider = createOidcProvider(settings, clock);
  const confirm = createConfirm({ ...options, provider });
  runtime.confirmPeople = async (ids) => {
    try {
      const people = await store.read((reader) => Promise.all(ids.map((id) => reader.person(id))));
      await Promise.all(people.flatMap((person) => (person === undefined ? [] : [confirm(person)])));
    } catch (error) {
      report(error, 'People who signed a call could not be checked');
    }
  };

  function open({ attempt, state }: OidcReturn): Attempt {
    const opened = box.unseal(attempt, PURPOSE);
    const parsed = opened.ok ? attemptSchema.safeParse(JSON.parse(opened.value)).data : undefined;
    if (parsed === undefined || parsed.state !== state) throw unauthorized(problemTexts.oidcOtherBrowser(name));
    if (parsed.expiresAt <= clock.now()) throw unauthorized(problemTexts.oidcTooLate(name));
    return parsed;
  }

  function explain(error: unknown): never {
    if (!(error instanceof OidcError)) throw error;
    report(error.cause, `Sign-in with ${name} failed (${error.kind})`);
    if (error.kind === 'unreachable') throw new HttpProblem(503, problemTexts.oidcUnreachable(name));
    throw unauthorized(error.kind === 'refused' ? problemTexts.oidcRefused(name) : problemTexts.oidcInvalid(name));
  }

  async function admit(account: OidcAccount, via: string): Promise<FoundCredential> {
    const { issuer, subject } = account;
    let hasChanged = false;
    const admission = await changePeople(store, undefined, async (tx) => {
      const before = await tx.personByOidc(issuer, subject);
      const change = await admitPerson(tx, { account, settings, box, via });
      hasChanged = !isSameSigner(before, await tx.personByOidc(issuer, subject));
      return change;
    });
    if (hasChanged) await announceSigners(runtime);
    switch (admission.kind) {
      case 'admitted':
        return admission.ticket;
      case 'inactive':
        throw new HttpProblem(403, problemTexts.oidcInactive(admission.admins));
      case 'no-role':
        throw new HttpProblem(403, problemTexts.oidcNoRole(name, admission.admins));
    }
  }

  return {
    name,
    async start(redirectUri) {
      const { url, ...attempt } = await provider.start(redirectUri).catch(explain);
      const kept: Attempt = { ...attempt, expiresAt: clock.now() + ATTEMPT_MS };
      return { url, attempt: box.seal(JSON.stringify(kept), PURPOSE) };
    },
    async finish(given, via) {
      const attempt = open(given);
      const { attempt: _sealed, ...answer } = given;
      return await admit(await provider.redeem(attempt, answer).catch(explain), via);
    },
    confirm,
  };
}
