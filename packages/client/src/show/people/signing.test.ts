import type { NeededSignatures, Signature } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { readerIn, type Reader } from '../../state/reader.js';
import { isForYou, mayEdit, signingLines, yourPart, type YourPart } from './signing.js';

const person = (id: string, name: string, via?: string): Signature => ({
  kind: 'person',
  id,
  name,
  ...(via === undefined ? {} : { via }),
});
const ada = person('ada', 'Ada Lovelace', 'Chrome on Android');
const bob = person('bob', 'Bob', 'terminal');

const reader = (id: string, more: Partial<Reader> = {}): Reader => ({
  id,
  isPerson: true,
  maySign: true,
  mayAnswer: true,
  ...more,
});

const finance = (more: Partial<NeededSignatures> = {}): NeededSignatures => ({
  rule: 'ask pay by 2 of @finance',
  count: 2,
  of: 'finance',
  label: 'Finance',
  signed: [],
  may: ['Ada Lovelace', 'Bob'],
  mayIds: ['ada', 'bob'],
  eligible: 2,
  ...more,
});
const adaSigned = finance({ signed: [ada], may: ['Bob'], mayIds: ['bob'] });

const bobForAda: Signature = { ...bob, for: { id: 'ada', name: 'Ada Lovelace' } };
const covered = finance({ signed: [bobForAda], may: ['Carol'], mayIds: ['carol'] });

describe('what the reader can do about a call', () => {
  it.each<[string, NeededSignatures[] | undefined, Reader | undefined, YourPart]>([
    ['no rule says who must sign', undefined, reader('ada'), 'decide'],
    ['an unknown reader', [finance()], undefined, 'decide'],
    ['may sign', [finance()], reader('ada'), 'decide'],
    ['has signed', [adaSigned], reader('ada'), 'signed'],
    ['is the next signer', [adaSigned], reader('bob'), 'decide'],
    ['is not in the group', [finance()], reader('eve'), 'deny'],
    ['a shared token', [finance()], reader('COUNTERSIGN_TOKEN', { isPerson: false }), 'deny'],
    ['may sign for one of two rules', [finance(), finance({ mayIds: ['eve'] })], reader('eve'), 'decide'],
    ['signed for one person, may sign for another', [covered, finance({ mayIds: ['bob'] })], reader('bob'), 'decide'],
    ['someone else signed for them', [covered], reader('ada'), 'deny'],
    ['a role that may not sign', undefined, reader('ada', { maySign: false }), 'watch'],
    ['the people are not loaded', [{ ...finance(), may: [], mayIds: undefined as never }], reader('ada'), 'unknown'],
    ['too many people to list', [finance({ mayIds: ['x', 'y'], eligible: 500 })], reader('ada'), 'decide'],
    ['all signatures are there', [finance({ signed: [ada, bob], may: [], mayIds: [] })], reader('ada'), 'decide'],
  ])('[SIGN1.10] %s', (_, needs, me, part) => {
    const asked =
      needs === undefined
        ? {}
        : { needs: needs.map(({ mayIds, ...need }) => (mayIds === undefined ? need : { ...need, mayIds })) };
    expect(yourPart(asked, me)).toBe(part);
    expect(isForYou(asked, me)).toBe(part === 'decide');
  });

  it('[SIGN1.10] a member can answer a question, and a viewer can only read it', () => {
    const question = { text: 'Which?', choices: [] };
    expect(yourPart({ question }, reader('ada', { maySign: false }))).toBe('decide');
    expect(yourPart({ question }, reader('ada', { maySign: false, mayAnswer: false }))).toBe('watch');
  });

  it('[SIGN1.2] editing is offered only where it is accepted', () => {
    expect(mayEdit({ options: ['approve_once', 'deny'] })).toBe(true);
    expect(mayEdit({ options: ['approve_once', 'deny'], needs: [finance()] })).toBe(false);
    expect(mayEdit({ options: ['deny'] })).toBe(false);
  });

  it('[WHO4.1] takes the higher of the role on the server and the role in the world', () => {
    const me = { kind: 'person', id: 'ada', name: 'Ada', via: 'http', role: 'viewer', actions: ['read'] } as const;
    const given = { ...me, actions: [...me.actions], worldRoles: { harbour: 'approver' as const } };
    expect(readerIn(given, 'harbour')).toMatchObject({ maySign: true, mayAnswer: true });
    expect(readerIn(given, 'elsewhere')).toMatchObject({ maySign: false, mayAnswer: false });
  });
});

describe('the signature lines of a card', () => {
  it.each<[NeededSignatures, string, string[]]>([
    [finance(), 'ada', ['Needs 2 of Finance']],
    [adaSigned, 'bob', ['Needs 2 of Finance · signed by Ada Lovelace from Chrome on Android, 1 more']],
    [adaSigned, 'ada', ['You signed · 1 more of Finance needed', 'Bob can sign.']],
    [finance(), 'eve', ['Needs 2 of Finance', 'Ada Lovelace or Bob can sign.']],
    [
      finance({ passkey: true, lackPasskeyIds: ['eve'] }),
      'eve',
      [
        'Needs 2 of Finance, with a passkey',
        'Ada Lovelace or Bob can sign.',
        'You need a trusted passkey to sign this call.',
      ],
    ],
    [
      finance({ count: 3, signed: [ada, bob], may: [], mayIds: [], stuck: 'too-few' }),
      'ada',
      ['You and Bob from the terminal signed · 1 more of Finance needed · stuck: only 2 people may sign'],
    ],
    [covered, 'carol', ['Needs 2 of Finance · signed by Bob, for Ada Lovelace, from the terminal, 1 more']],
    [covered, 'bob', ['You (for Ada Lovelace) signed · 1 more of Finance needed', 'Carol can sign.']],
    [
      finance({ mayIds: ['ada', 'eve'], delegates: [{ id: 'eve', for: { id: 'ada', name: 'Ada Lovelace' } }] }),
      'eve',
      ['Needs 2 of Finance', 'You can sign for Ada Lovelace.'],
    ],
  ])('[SIGN1.10] [SIGN4.5] %j, as %s', (need, id, lines) => {
    expect(signingLines({ needs: [need] }, reader(id))).toEqual(lines);
  });

  it('[SIGN1.10] says that the role can’t decide', () => {
    expect(signingLines({}, reader('ada', { maySign: false }))).toEqual([
      "Your role can't approve or deny calls. Approvers can.",
    ]);
    expect(signingLines({}, reader('ada'))).toEqual([]);
  });
});
