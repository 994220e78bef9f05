import { describeNeed, type Signature, type Who } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { signingRule as rule } from '../testing/signing-rule.js';
import type { ActiveDelegation } from './delegations.js';
import { isSigned, judgeSignatures, maySign, mustUsePasskey, principalOf, showNeed } from './needed-signatures.js';

const person = (id: string, name: string): Who => ({ kind: 'person', id, name });
const ada = person('ada', 'Ada Lovelace');
const bob = person('bob', 'Bob');
const carol = person('carol', 'Carol');
const dan = person('dan', 'Dan');
const everyone = [ada, bob, carol, dan];
const groups = [
  { name: 'finance', people: ['ada', 'carol'] },
  { name: 'release', people: ['bob'] },
];

/** `ada>bob`: Ada delegated to Bob. */
const delegated = (...texts: string[]): ActiveDelegation[] =>
  texts.map((text) => {
    const [from = '', to = ''] = text.split('>');
    return { from, to, tools: ['*'] };
  });

interface Given {
  rules: readonly string[];
  signed?: readonly Signature[];
  delegations: readonly ActiveDelegation[];
  requester?: Who;
  people?: readonly Who[];
  passkeys?: readonly { id: string; personId: string }[];
  toolName?: string;
}

function judged({ rules, signed = [], delegations, requester = dan, people = everyone, ...given }: Given) {
  const { passkeys = [], toolName = 'pay' } = given;
  const known = { people, groups, passkeys, delegations };
  return judgeSignatures({ rules: rules.map(rule), signed, requesters: [requester], toolName, people: known });
}

const covering = (who: Who, { id, name }: Who, more: Partial<Signature> = {}): Signature => ({
  ...who,
  ...more,
  for: { id, name },
});
const bobForAda = covering(bob, ada);

describe('[SIGN4] a delegation', () => {
  const finance = { rules: ['by @finance'], delegations: delegated('ada>bob') };

  it('lets the delegate sign for the person, and says so', () => {
    const states = judged(finance);
    expect(maySign(states, bob)).toBe(true);
    expect(principalOf(states, bob)).toEqual({ id: 'ada', name: 'Ada Lovelace' });
    expect(principalOf(states, ada)).toBeUndefined();
    expect(states.map(showNeed)).toMatchObject([
      {
        may: ['Ada Lovelace', 'Carol', 'Bob'],
        mayIds: ['ada', 'carol', 'bob'],
        delegates: [{ id: 'bob', for: { id: 'ada', name: 'Ada Lovelace' } }],
      },
    ]);
    expect(isSigned(judged({ ...finance, signed: [bobForAda] }))).toBe(true);
    expect(isSigned(judged({ ...finance, rules: ['by @ada'], signed: [bobForAda] }))).toBe(true);
    const two = { ...finance, rules: ['by 2 of @finance'], signed: [bobForAda] };
    expect(judged(two).map((state) => describeNeed(showNeed(state)))).toEqual([
      'Needs 2 of Finance · signed by Bob, for Ada Lovelace, 1 more',
    ]);
  });

  it.each<[string, Partial<Given>]>([
    ['it ended', { delegations: [] }],
    ['it is for other tools', { delegations: [{ from: 'ada', to: 'bob', tools: ['shell_*'] }] }],
    ['the person may no longer sign', { people: [bob, carol, dan] }],
    ['the delegate may no longer sign', { people: [ada, carol, dan] }],
    ['the person was never named', { rules: ['by @carol'] }],
    ['it was for somebody else', { signed: [covering(bob, carol)] }],
    ['the delegate was the requester', { rules: ['by @finance not requester'], requester: bob }],
    ['the person was the requester', { rules: ['by @finance not requester'], requester: ada }],
    ['someone else signed for them', { signed: [covering(dan, ada)] }],
    ['an agent claims it', { signed: [{ ...bobForAda, kind: 'agent' }] }],
    ['nobody said for whom', { signed: [bob] }],
  ])('[SIGN4.2] [SIGN4.3] doesn’t count if %s', (_, change) => {
    expect(isSigned(judged({ ...finance, signed: [bobForAda], ...change }))).toBe(false);
  });

  it('is limited to the tools it names', () => {
    const delegations = [{ from: 'ada', to: 'bob', tools: ['shell_*', 'pay'] }];
    expect(maySign(judged({ ...finance, delegations }), bob)).toBe(true);
    expect(maySign(judged({ ...finance, delegations, toolName: 'payment' }), bob)).toBe(false);
  });

  it('[SIGN4.1] counts a person once, no matter who signs for them', () => {
    const two = { rules: ['by 2 of @finance'], delegations: delegated('ada>bob', 'ada>dan') };
    for (const signed of [
      [bobForAda, ada],
      [ada, bobForAda],
      [bobForAda, covering(dan, ada)],
    ]) {
      expect(judged({ ...two, signed })[0]?.missing).toBe(1);
    }
    expect(isSigned(judged({ ...two, signed: [bobForAda, carol] }))).toBe(true);
    // Once somebody signed for her, neither she nor another delegate is asked again.
    const after = judged({ ...two, signed: [bobForAda], requester: carol });
    expect(everyone.filter((who) => maySign(after, who))).toEqual([carol]);
  });

  it('[SIGN4.1] counts a delegate once, whomever they sign for', () => {
    const both = { rules: ['by 2 of @finance'], delegations: delegated('ada>bob', 'carol>bob') };
    const states = judged({ ...both, signed: [bobForAda] });
    expect(maySign(states, bob)).toBe(false);
    expect(judged({ ...both, signed: [bobForAda, covering(bob, carol)] })[0]?.missing).toBe(1);
    // Someone who can sign themselves never signs for someone else.
    const own = { rules: ['by 2 of @finance'], delegations: delegated('ada>carol') };
    expect(principalOf(judged(own), carol)).toBeUndefined();
    expect(judged({ ...own, signed: [carol, covering(carol, ada)] })[0]?.missing).toBe(1);
    expect(isSigned(judged({ ...own, signed: [carol, ada] }))).toBe(true);
  });

  it('[SIGN4.3] isn’t passed on', () => {
    const chain = { rules: ['by @ada'], delegations: delegated('ada>bob', 'bob>dan') };
    expect(maySign(judged(chain), dan)).toBe(false);
    expect(isSigned(judged({ ...chain, signed: [covering(dan, bob)] }))).toBe(false);
    expect(isSigned(judged({ ...chain, signed: [covering(dan, ada)] }))).toBe(false);
  });

  it('one signature can count under several rules: the delegate’s own right under one, the person’s under another', () => {
    const both = { rules: ['by @release', 'by @finance'], delegations: delegated('carol>bob', 'ada>bob') };
    expect(principalOf(judged(both), bob)).toEqual({ id: 'carol', name: 'Carol' });
    const states = judged({ ...both, signed: [bobForAda] });
    expect(isSigned(states)).toBe(true);
    expect(states.map(({ signed }) => signed)).toEqual([[bob], [bobForAda]]);
    // The person for whom it counts under the most rules.
    expect(principalOf(judged({ ...both, rules: ['by @finance', 'by @ada'] }), bob)?.id).toBe('ada');
  });

  it('[SIGN4.4] under a rule with passkey, the delegate needs their own', () => {
    const withKey = { rules: ['by @ada with passkey'], delegations: delegated('ada>bob') };
    const adas = { passkeys: [{ id: 'k_ada', personId: 'ada' }] };
    const without = judged({ ...withKey, ...adas });
    expect(maySign(without, bob)).toBe(false);
    expect(without.map(showNeed)).toMatchObject([{ mayIds: ['ada'], lackPasskeyIds: ['bob'] }]);
    expect(isSigned(judged({ ...withKey, ...adas, signed: [covering(bob, ada, { passkey: 'k_ada' })] }))).toBe(false);
    const bobs = { passkeys: [{ id: 'k_bob', personId: 'bob' }] };
    const able = judged({ ...withKey, ...bobs });
    expect([maySign(able, bob), mustUsePasskey(able, bob), able[0]?.stuck]).toEqual([true, true, undefined]);
    expect(isSigned(judged({ ...withKey, ...bobs, signed: [bobForAda] }))).toBe(false);
    expect(isSigned(judged({ ...withKey, ...bobs, signed: [covering(bob, ada, { passkey: 'k_bob' })] }))).toBe(true);
  });

  it('[SIGN4.1] never counts more people than signed, nor more than the group has, and asks only for what counts', () => {
    const who = fc.constantFrom(...everyone);
    const signature = fc.tuple(who, fc.option(who)).map(([by, of]) => (of === null ? by : covering(by, of)));
    const given = fc.array(
      fc.tuple(who, who).filter(([from, to]) => from !== to),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(fc.array(signature, { maxLength: 8 }), given, fc.boolean(), (signed, pairs, excludes) => {
        const rules = [`by 3 of @finance${excludes ? ' not requester' : ''}`];
        const delegations = pairs.map(([from, to]) => ({ from: from.id, to: to.id, tools: ['*'] }));
        const states = judged({ rules, signed, delegations, requester: ada });
        const counted = states[0]?.signed ?? [];
        const rights = counted.map((each) => each.for?.id ?? each.id);
        expect(new Set(counted.map(({ id }) => id)).size).toBe(counted.length);
        expect(new Set(rights).size).toBe(counted.length);
        expect(rights.filter((id) => id !== 'ada' && id !== 'carol')).toEqual([]);
        const requested = [...rights, ...counted.map(({ id }) => id)].filter((id) => id === 'ada');
        expect(excludes ? requested : []).toEqual([]);
        for (const next of everyone) {
          const principal = principalOf(states, next);
          const added = principal === undefined ? next : { ...next, for: principal };
          const after = judged({ rules, signed: [...signed, added], delegations, requester: ada })[0]?.signed ?? [];
          expect(after.length).toBe(counted.length + (maySign(states, next) ? 1 : 0));
        }
      }),
      { numRuns: scaled(500) },
    );
  });
});
