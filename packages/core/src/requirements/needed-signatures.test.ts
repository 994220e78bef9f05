import { describeNeed, describeSigners, readWhos, type Signature, type Who, whosText } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { signingRule as rule } from '../testing/signing-rule.js';
import {
  findUnsatisfiable,
  hasSigned,
  isSigned,
  judgeSignatures,
  maySign,
  showNeed,
  type SigningInput,
  type SigningPeople,
  mustUsePasskey,
} from './needed-signatures.js';

const person = (id: string, name = id): Who => ({ kind: 'person', id, name });
const ada = person('ada-lovelace', 'Ada Lovelace');
const bob = person('bob', 'Bob');
const carol = person('carol', 'Carol');
const dan = person('dan', 'Dan');
const agent: Who = { kind: 'agent', id: 'ada-lovelace', name: 'Ada Lovelace' };
const token: Who = { kind: 'token', id: 'bob', name: 'Bob' };

const people: SigningPeople = {
  people: [ada, bob, carol, dan],
  groups: [
    { name: 'finance', people: ['ada-lovelace', 'bob', 'gone'] },
    { name: 'release-team', people: ['bob', 'carol'] },
    { name: 'nobody', people: [] },
  ],
  passkeys: [
    { id: 'key_ada', personId: 'ada-lovelace' },
    { id: 'key_carol', personId: 'carol' },
  ],
  delegations: [],
};

function judged(rules: readonly string[], signed: readonly Who[], more: Partial<SigningInput> = {}) {
  return judgeSignatures({ rules: rules.map(rule), signed, requesters: [dan], people, toolName: 'pay', ...more });
}

describe('the signatures of a call', () => {
  it.each<[string, readonly Who[], boolean]>([
    ['by @finance', [], false],
    ['by @finance', [ada], true],
    ['by @finance', [carol], false],
    ['by 2 of @finance', [ada], false],
    ['by 2 of @finance', [ada, ada], false],
    ['by 2 of @finance', [ada, agent], false],
    ['by 2 of @finance', [ada, token], false],
    ['by 2 of @finance', [ada, carol], false],
    ['by 2 of @finance', [ada, bob], true],
    ['by 2 of @finance', [carol, ada, dan, bob], true],
    ['by @ada-lovelace', [ada], true],
    ['by @ada-lovelace', [bob], false],
    ['by @carol', [carol], true],
    ['by not requester', [dan], false],
    ['by not requester', [ada], true],
    ['by not requester', [agent], false],
    ['by @missing', [ada, bob, carol, dan], false],
    ['by @nobody', [ada, bob, carol, dan], false],
    ['by 3 of @finance', [ada, bob, person('gone')], false],
  ])('[SIGN1] [SIGN1.1] %s, signed by %j: %s', (text, signed, expected) => {
    expect(isSigned(judged([text], signed))).toBe(expected);
  });

  it('[SIGN1.1] every rule must be met, and one person can count for several', () => {
    const both = ['by 2 of @finance', 'by @release-team'];
    expect(isSigned(judged(both, [ada, bob]))).toBe(true);
    expect(isSigned(judged(both, [bob, carol]))).toBe(false);
    expect(isSigned(judged([], []))).toBe(true);
  });

  it('[SIGN1.6] the requester doesn’t count, however they sign', () => {
    const states = judged(['by 2 of @finance not requester'], [ada, bob], { requesters: [ada] });
    expect(isSigned(states)).toBe(false);
    expect(maySign(states, ada)).toBe(false);
    expect(states[0]).toMatchObject({ missing: 1, stuck: 'too-few' });
  });

  it('[RUN31.3] everyone who sent a run back is a requester, and none of them counts', () => {
    const requesters = readWhos(whosText([dan, ada, dan]));
    expect(requesters).toEqual([dan, ada]);
    expect(
      [ada, bob, carol, dan].filter((who) => maySign(judged(['by not requester'], [], { requesters }), who)),
    ).toEqual([bob, carol]);
    expect(isSigned(judged(['by 2 of @finance not requester'], [ada, bob], { requesters }))).toBe(false);
    // Nobody knows who else used the token.
    const [state] = judged(['by not requester'], [bob], { requesters: [dan, token] });
    expect(state).toMatchObject({ missing: 1, stuck: 'unknown-requester' });
  });

  it.each<[string, Who | undefined]>([
    ['nobody is known', undefined],
    ['a shared token', token],
    ['the system', { kind: 'system', id: 'system', name: 'system' }],
  ])('[SIGN1.6] if the requester is %s, nobody can satisfy a rule that excludes them', (_, requester) => {
    const states = judged(['by not requester'], [ada], { requesters: requester === undefined ? [] : [requester] });
    expect(isSigned(states)).toBe(false);
    expect(states.some(({ may }) => may.length > 0)).toBe(false);
    expect(states[0]?.stuck).toBe('unknown-requester');
  });

  it('[SIGN1.4] a signature stops counting when its author may no longer sign', () => {
    const without = { ...people, people: [bob, carol, dan] };
    const [state] = judged(['by 2 of @finance'], [ada, bob], { people: without });
    expect(state).toMatchObject({ missing: 1, signed: [bob], stuck: 'too-few' });
  });

  it('[SIGN1] only a signature that is still missing can be given', () => {
    const states = judged(['by 2 of @finance', 'by @release-team'], [ada, carol]);
    expect(maySign(states, bob)).toBe(true);
    expect([ada, carol, dan, agent, token].filter((who) => maySign(states, who))).toEqual([]);
    expect([ada, bob, carol, agent].filter((who) => hasSigned(states, who))).toEqual([ada, carol]);
  });

  it('[SIGN1.1] never counts more than the people of the group, and each of them once', () => {
    const anyone = fc.constantFrom(ada, bob, carol, dan, agent, token, person('gone'), person('p9'));
    fc.assert(
      fc.property(
        fc.array(anyone, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.subarray([ada, bob, dan, token]),
        fc.boolean(),
        (signed, count, requesters, excludes) => {
          const text = `by ${count} of @finance${excludes ? ' not requester' : ''}`;
          const states = judged([text], signed, { requesters });
          const isKnown = !excludes || (requesters.length > 0 && !requesters.includes(token));
          const counted = [ada, bob].filter(
            (who) => isKnown && signed.includes(who) && !(excludes && requesters.includes(who)),
          );
          expect(isSigned(states)).toBe(counted.length >= count);
          // An additional signature never reduces the number that count.
          expect(states[0]?.missing).toBe(Math.max(0, count - counted.length));
          for (const who of [ada, bob, carol, dan, agent, token]) {
            if (maySign(states, who)) continue;
            expect(judged([text], [...signed, who], { requesters })[0]?.missing).toBe(states[0]?.missing);
          }
        },
      ),
      { numRuns: scaled(500) },
    );
  });
});

describe('what a card says', () => {
  const said = (text: string, signed: readonly Who[], more: Partial<SigningInput> = {}): string =>
    judged([text], signed, more)
      .map((state) => describeNeed(showNeed(state)))
      .join();

  it.each<[string, readonly Who[], string]>([
    ['by @release-team', [], 'Needs 1 of Release team'],
    ['by 2 of @finance', [], 'Needs 2 of Finance'],
    ['by 2 of @finance', [ada], 'Needs 2 of Finance · signed by Ada Lovelace, 1 more'],
    ['by 2 of @finance', [bob, ada], 'Needs 2 of Finance · signed by Bob and Ada Lovelace'],
    ['by @ada-lovelace', [], 'Needs Ada Lovelace'],
    ['by not requester', [], 'Needs someone other than the requester'],
    ['by 2 of @finance not requester', [], 'Needs 2 of Finance, not the requester'],
    ['by @missing', [], 'Needs @missing · nobody can sign: there is no such group or person'],
    ['by 3 of @finance', [ada], 'Needs 3 of Finance · signed by Ada Lovelace, 2 more · stuck: only 2 people may sign'],
    ['by @nobody', [], 'Needs 1 of Nobody · stuck: nobody may sign'],
  ])('[SIGN1] %s, signed by %j: %s', (text, signed, expected) => {
    expect(said(text, signed)).toBe(expected);
  });

  it('[SIGN1.6] says that the requester is unknown', () => {
    expect(said('by not requester', [], { requesters: [token] })).toBe(
      "Needs someone other than the requester · nobody can sign: the message came through a shared token, so the requester isn't known",
    );
  });

  it('[SIGN1] names the people who can still sign', () => {
    const needs = judged(['by 2 of @finance', 'by @release-team'], [ada]).map(showNeed);
    expect(needs.map(({ may }) => may)).toEqual([['Bob'], ['Bob', 'Carol']]);
    expect(describeSigners(needs)).toBe('Bob or Carol');
  });
});

describe('a rule that nobody can satisfy', () => {
  it.each<[string, string | undefined]>([
    ['by @finance', undefined],
    ['by 2 of @finance', undefined],
    ['by 2 of @finance not requester', undefined],
    ['by 3 of @finance', 'it needs 3 signatures, but only 2 people in @finance may sign calls in this world'],
    ['by @nobody', 'it needs a signature, but nobody in @nobody may sign calls in this world'],
    ['by @missing', 'there is no group @missing, and no person with this id who may sign calls in this world'],
    [
      'by 2 of @ada-lovelace',
      'it needs 2 signatures, but only one person in @ada-lovelace may sign calls in this world',
    ],
    ['by not requester', undefined],
  ])('[SIGN1.8] %s: %s', (text, expected) => {
    expect(findUnsatisfiable(rule(text), people)).toBe(expected);
  });

  it('[SIGN1.8] excluding the requester needs a second person, and a name must be clear', () => {
    expect(
      findUnsatisfiable(rule('by not requester'), { people: [ada], groups: [], passkeys: [], delegations: [] }),
    ).toBe('it excludes the requester, but only one person may sign calls in this world');
    const both = { people: [bob], groups: [{ name: 'bob', people: ['carol'] }], passkeys: [], delegations: [] };
    expect(findUnsatisfiable(rule('by @bob'), both)).toBe('@bob is both a group and a person. Rename the group');
    expect(judged(['by @bob'], [bob, carol], { people: both })[0]?.stuck).toBe('unknown-name');
  });
});

describe('[SIGN2] [SIGN2.9] a rule that requires a passkey', () => {
  const withKey = (who: Who, passkey: string) => ({ ...who, passkey });
  const isMet = (text: string, ...signed: Signature[]): boolean => isSigned(judged([text], [], { signed }));

  it('counts only signatures with a trusted passkey of their author', () => {
    expect(isMet('with passkey', ada)).toBe(false);
    expect(isMet('with passkey', withKey(ada, 'key_ada'))).toBe(true);
    expect(isMet('with passkey', withKey(ada, 'key_carol'))).toBe(false);
    expect(isMet('with passkey', withKey(ada, 'key_removed'))).toBe(false);
    expect(isMet('with passkey', ada, withKey(ada, 'key_ada'))).toBe(true);
    expect(isMet('with passkey', withKey(agent, 'key_ada'))).toBe(false);
    expect(isMet('by @finance with passkey', withKey(carol, 'key_carol'))).toBe(false);
    expect(isMet('by 2 of @finance', withKey(ada, 'key_ada'), bob)).toBe(true);
  });

  it('says who must use one, and shows it', () => {
    const both = judged(['by @release-team', 'with passkey'], []);
    expect([ada, bob, carol].map((who) => mustUsePasskey(both, who))).toEqual([true, false, true]);
    const [, need] = both.map(showNeed);
    expect(need).toMatchObject({
      passkey: true,
      may: ['Ada Lovelace', 'Carol'],
      lackPasskeyIds: ['bob', 'dan'],
      eligible: 2,
    });
    expect(need === undefined ? '' : describeNeed(need)).toBe('Needs a signature with a passkey');
    const [stuck] = judged(['by 2 of @finance with passkey'], []).map(showNeed);
    expect(stuck).toMatchObject({ stuck: 'no-passkey' });
    expect(stuck === undefined ? '' : describeNeed(stuck)).toBe(
      'Needs 2 of Finance, with a passkey · stuck: only one person with a trusted passkey may sign',
    );
  });

  it.each<[string, string | undefined]>([
    ['with passkey', undefined],
    ['by @finance with passkey', undefined],
    [
      'by @bob with passkey',
      'it needs a signature with a passkey, but nobody in @bob has a trusted one. Add passkeys under Account in the web app, and confirm them, first',
    ],
    [
      'by 2 of @finance with passkey',
      'it needs 2 signatures with a passkey, but only one person in @finance has a trusted one. Add passkeys under Account in the web app, and confirm them, first',
    ],
  ])('[SIGN1.8] %s: %s', (text, expected) => {
    expect(findUnsatisfiable(rule(text), people)).toBe(expected);
  });
});
