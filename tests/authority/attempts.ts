import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import {
  CLIENT_HEADER,
  SESSION_HEADER,
  type Confirmable,
  type PasskeyConfirmation,
  type Person,
} from '@countersign/protocol';
import { HttpProblem } from '../../packages/server/src/app/http-problem.js';
import { hashSecret, randomSecret } from '../../packages/server/src/auth/secrets.js';
import { confirmDecision } from '../../packages/server/src/confirmations/confirm-decision.js';
import { confirmIn } from '../../packages/server/src/confirmations/confirm-in.js';
import { createChallenge } from '../../packages/server/src/confirmations/create-challenge.js';
import type { By } from '../../packages/server/src/people/by.js';
import { changePeople } from '../../packages/server/src/people/change-people.js';
import { insertCredential, makeSecret } from '../../packages/server/src/people/credentials.js';
import { openApp, TOKEN, type AppFixture } from '../../packages/server/src/testing/app-fixture.js';
import { ask, signInAs } from '../../packages/server/src/testing/sign-in.js';
import { createSoftPasskey, insertPasskey } from '../../packages/server/src/testing/soft-passkey.js';

const HOUR_MS = 60 * 60_000;
const origin = 'http://localhost:4300';
const action: Confirmable = { kind: 'remove-passkey', passkey: '0123456789abcdef' };
const signed: Confirmable = { kind: 'sign-call', world: 'alpha', approval: 'none', decision: 'approve' };

/** What must be refused before any route: requests from elsewhere and lapsed credentials, and worthless confirmations. */
export const ATTEMPTS: Readonly<Record<string, (t: AppFixture) => Promise<boolean>>> = {
  'a request for another host': (t) => isRefused(t, '/health', { Host: 'evil.example' }),
  'a request from another site': (t) => isRefused(t, '/health', { Origin: 'https://evil.example' }),
  "a request from another port's page": (t) => isRefused(t, '/health', { 'Sec-Fetch-Site': 'same-site' }),
  'a session that was not used for too long': async (t) => {
    const made = makeSecret();
    const header = randomSecret();
    await t.engine.runtime.store.transact('', async (tx) => {
      await insertCredential(tx, made, {
        personId: 'owner',
        kind: 'session',
        name: 'old browser',
        data: { headerHash: hashSecret(header).toString('hex') },
        createdAt: tx.now() - 2 * HOUR_MS,
        expiresAt: tx.now() + HOUR_MS,
      });
    });
    const cookie = `countersign_${new URL(t.url).port}=${made.id}.${made.secret}`;
    return await isRefused(t, '/me', { cookie, [SESSION_HEADER]: header });
  },
  'a session of someone whom the OIDC provider no longer confirms': async (t) => {
    const { id, headers } = await addPerson(t);
    await lapse(t, id);
    return await isRefused(t, '/me', headers);
  },
  'a sign-in of someone whom the OIDC provider no longer confirms': async (t) => {
    const { id } = await addPerson(t);
    const { open } = (await t.api<{ open: string }>('POST', `/people/${id}/invitations`)).body;
    await lapse(t, id);
    const invitation = { invitation: open.split('=')[1] };
    return [401, 403].includes((await ask(t, 'POST', '/session', {}, invitation)).status);
  },
  'a start link for a session': async (t) =>
    (await ask(t, 'POST', '/tickets', (await addPerson(t)).headers)).status === 403,

  'a change of providers by a registered client': async (t) => {
    await t.api('POST', '/worlds', { name: 'alpha' });
    const client = { label: 'app', approvals: true };
    const { clientSecret } = (await t.api<{ clientSecret: string }>('POST', '/worlds/alpha/clients', client)).body;
    const as = { [CLIENT_HEADER]: clientSecret };
    const added = { kind: 'vllm', name: 'box', baseUrl: 'http://127.0.0.1:9' };
    const answers = [
      await t.api('POST', '/providers', added, as),
      await t.api('PATCH', '/providers/none', { name: 'box' }, as),
      await t.api('DELETE', '/providers/none', undefined, as),
      await t.api('POST', '/providers/none/test', undefined, as),
    ];
    return answers.every(({ status }) => status === 403);
  },

  'a missing confirmation': async (t) => (await confirming(t)).isRefused(undefined),
  'a confirmation for another action': async (t) => {
    const { sign, isRefused: refused } = await confirming(t);
    return await refused(await sign(), { action: { kind: 'trust-passkey', passkey: '0123456789abcdef' } });
  },
  'a confirmation that was used': async (t) => {
    const { sign, isRefused: refused } = await confirming(t);
    const confirmation = await sign();
    return !(await refused(confirmation)) && (await refused(confirmation));
  },
  'a confirmation after its time': async (t) => {
    const { sign, isRefused: refused } = await confirming(t);
    const confirmation = await sign();
    t.clock.advance(5 * 60_000);
    return await refused(confirmation);
  },
  'a confirmation of somebody who was disabled meanwhile': async (t) => {
    const { by, sign, isRefused: refused } = await confirming(t);
    const confirmation = await sign();
    await t.api('PATCH', `/people/${by.access.person?.id ?? ''}`, { status: 'disabled' });
    return await refused(confirmation);
  },
  "a confirmation of somebody else's challenge": async (t) => {
    const [ada, bob] = [await confirming(t), await confirming(t)];
    const { challenge, options } = await ada.challenge();
    return await bob.isRefused({ challenge, ...bob.passkey.sign(options.challenge) });
  },
  'a confirmation with a passkey that is not trusted': async (t) => {
    const { by, challenge, isRefused: refused } = await confirming(t);
    const other = createSoftPasskey();
    await insertPasskey(t.engine.runtime.store, by.access.person?.id ?? '', other, { trusted: false });
    const made = await challenge();
    return await refused({ challenge: made.challenge, ...other.sign(made.options.challenge) });
  },
  'a confirmation with a wrong signature': async (t) => {
    const { passkey, challenge, isRefused: refused } = await confirming(t);
    const made = await challenge();
    const forged = { ...createSoftPasskey().sign(made.options.challenge), credentialId: passkey.credentialId };
    return await refused({ challenge: made.challenge, ...forged });
  },
  'a confirmation with a copied passkey': async (t) => {
    const { sign, isRefused: refused } = await confirming(t);
    return !(await refused(await sign(7))) && (await refused(await sign(7)));
  },
  'a confirmation and a challenge of a token that belongs to nobody': async (t) => {
    const { sign, isRefused: refused } = await confirming(t);
    const by = byOf();
    const { store } = t.engine.runtime;
    return (
      (await refused(await sign(), { by })) && (await throwsRefusal(createChallenge(store, by, { action, origin })))
    );
  },
  'a decision whose challenge shows no call': async (t) => {
    const { store } = t.engine.runtime;
    const { by, passkey } = await confirming(t);
    const { challenge, options } = await createChallenge(store, by, { action: signed, origin });
    const confirmation = { challenge, ...passkey.sign(options.challenge) };
    const decision = { tool_call_id: 'none', decision: 'approve', callHash: 'none' } as const;
    return await throwsRefusal(confirmDecision(store, by, { action: signed, confirmation, origin }, decision));
  },
};

/** A server for one attempt. */
export async function openForAttempt(): Promise<AppFixture> {
  return await openApp({ lifetimes: { idleMs: HOUR_MS, mostMs: 24 * HOUR_MS } });
}

const byOf = (person?: By['access']['person']): By => ({
  access: { holder: 'x', kind: 'session', ...(person === undefined ? {} : { person }) },
  signer: { who: { kind: 'person', id: 'x', name: 'X' }, via: 'test' },
});

/** With the server's token, unless the headers have another credential. */
async function isRefused(t: AppFixture, path: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
  const own = 'cookie' in headers ? {} : { Authorization: `Bearer ${TOKEN}` };
  const sending = request(`${t.url}/api${path}`, { headers: { ...own, ...headers } });
  sending.end();
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode === 401 || response.statusCode === 403;
}

async function throwsRefusal(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => false,
    (error: unknown) => error instanceof HttpProblem && error.status === 403,
  );
}

let people = 0;

async function addPerson(t: AppFixture): Promise<{ id: string; headers: Record<string, string> }> {
  const { id } = (await t.api<Person>('POST', '/people', { name: `Person ${(people += 1)}`, role: 'owner' })).body;
  return { id, headers: await signInAs(t, id) };
}

/** As if the provider hadn't confirmed this person for more than an hour. */
async function lapse(t: AppFixture, id: string): Promise<void> {
  await changePeople(t.engine.runtime.store, undefined, async (tx) => {
    const person = await tx.person(id);
    if (person === undefined) throw new Error('no such person');
    const oidc = { issuer: 'https://login.example', subject: id, groups: [], checkedAt: tx.now() - 2 * HOUR_MS };
    return { value: await tx.updatePerson({ ...person, oidc }) };
  });
}

/** A person with a trusted passkey. */
async function confirming(t: AppFixture) {
  const { store } = t.engine.runtime;
  const { id } = await addPerson(t);
  const person = await store.read((reader) => reader.person(id));
  const by = byOf(person);
  const passkey = createSoftPasskey();
  await insertPasskey(store, id, passkey);
  const challenge = () => createChallenge(store, by, { action, origin });
  return {
    by,
    passkey,
    challenge,
    sign: async (counter = 0): Promise<PasskeyConfirmation> => {
      const { challenge: made, options } = await challenge();
      return { challenge: made, ...passkey.sign(options.challenge, { counter }) };
    },
    isRefused: async (
      confirmation: PasskeyConfirmation | undefined,
      other: { action?: Confirmable; by?: By } = {},
    ): Promise<boolean> => {
      const asked = { action: other.action ?? action, origin, confirmation };
      return await throwsRefusal(store.transact('', (tx) => confirmIn(tx, other.by ?? by, asked)));
    },
  };
}
