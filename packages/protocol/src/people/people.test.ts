import { expect, it } from 'vitest';
import {
  askFor,
  effectiveActions,
  groupNameSchema,
  mayDo,
  newPersonSchema,
  personNameSchema,
  ROLES,
  tokenScopeSchema,
  whoToAsk,
  type Me,
  type PersonRole,
  type TokenScope,
} from './people.js';

const all = tokenScopeSchema.options;
const who = (role: PersonRole | null, worldRoles: Record<string, PersonRole> = {}) =>
  ({ role, worldRoles, status: 'active' }) as const;
const list = (actions: ReadonlySet<TokenScope>): string =>
  [...actions].filter((action) => action !== 'propose').join(' ');

it('[WHO4.1] each role may do what the one below it may, and more', () => {
  expect(ROLES.map((role) => [role, list(effectiveActions(who(role), undefined, undefined))])).toEqual([
    ['owner', 'read chat sign admin'],
    ['admin', 'read chat sign admin'],
    ['approver', 'read chat sign'],
    ['member', 'read chat'],
    ['viewer', 'read'],
  ]);
  expect(list(effectiveActions(who(null), undefined, undefined))).toBe('');
});

it('[WHO4.1] the higher of the roles on the server and in the world counts, only in that world', () => {
  const person = who('member', { lab: 'approver', garden: 'viewer' });
  expect(list(effectiveActions(person, 'lab', undefined))).toBe('read chat sign');
  expect(list(effectiveActions(person, 'garden', undefined))).toBe('read chat');
  expect(list(effectiveActions(person, 'other', undefined))).toBe('read chat');
  expect(list(effectiveActions(who(null, { lab: 'admin' }), 'lab', undefined))).toBe('read chat sign admin');
  expect(list(effectiveActions(who(null, { lab: 'admin' }), 'other', undefined))).toBe('');
  expect(list(effectiveActions(who(null, { lab: 'admin' }), undefined, undefined))).toBe('');
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(effectiveActions(who(null), name, undefined).size).toBe(0);
  }
});

it('[WHO4.1] scopes only restrict, and a disabled or removed person may do nothing', () => {
  expect(list(effectiveActions(who('owner'), 'lab', ['read', 'sign']))).toBe('read sign');
  expect(list(effectiveActions(who('viewer'), 'lab', all))).toBe('read');
  expect(effectiveActions(who('owner'), 'lab', []).size).toBe(0);
  for (const status of ['disabled', 'removed'] as const) {
    expect(effectiveActions({ ...who('owner', { lab: 'admin' }), status }, 'lab', all).size).toBe(0);
  }
});

it('[WHO4] refuses names that are reserved, unclear or too long, and unknown roles', () => {
  const accepted = (name: string): boolean => personNameSchema.safeParse(name).success;
  const good = ['Ada Lovelace', 'O’Neil, Jr.', 'Zoë', '王小明'];
  expect(good.filter(accepted)).toEqual(good);
  const wrong = ['', ' Ada', 'Ada\n', 'A\u202Eda', 'System', 'HUMAN', 'token', 'x'.repeat(101), 'COUNTERSIGN_TOKEN'];
  expect(wrong.filter(accepted)).toEqual([]);
  expect(newPersonSchema.parse({ name: 'Ada' })).toEqual({ name: 'Ada', role: 'member', worldRoles: {} });
  expect(newPersonSchema.safeParse({ name: 'Ada', role: 'root' }).success).toBe(false);
  expect(newPersonSchema.safeParse({ name: 'Ada', worldRoles: { lab: 'owner' } }).success).toBe(false);
  expect(newPersonSchema.safeParse({ name: 'Ada', status: 'active' }).success).toBe(false);
  expect(['finance', 'release-2'].every((name) => groupNameSchema.safeParse(name).success)).toBe(true);
  for (const name of ['Finance', '-x', 'a b', '', 'a--b']) expect(groupNameSchema.safeParse(name).success).toBe(false);
});

it('[WHO5] a client can tell what a session may do in a world, with the scopes of its token', () => {
  const base = { id: 'bob', name: 'Bob', via: 'terminal', actions: [], role: 'member' as const };
  const bob: Me = { ...base, kind: 'person', worldRoles: { lab: 'admin' } };
  expect([mayDo(bob, 'sign'), mayDo(bob, 'sign', 'lab'), mayDo(bob, 'chat', 'other')]).toEqual([false, true, true]);
  const limited: Me = { ...bob, scopes: ['read'] };
  expect([mayDo(limited, 'read', 'lab'), mayDo(limited, 'admin', 'lab')]).toEqual([true, false]);
  expect(mayDo({ ...bob, kind: 'token', role: 'owner' }, 'admin')).toBe(true);
});

it('[WHO4.2] names up to three people to ask: those who may do it, or who can give the role for it', () => {
  const person = (name: string, role: PersonRole | null, worldRoles = {}, status = 'active' as const) => ({
    ...{ name, role, worldRoles, status },
  });
  const people = [
    person('root', 'owner'),
    person('Ada Lovelace', 'approver'),
    person('Bob', null, { lab: 'admin' }),
    person('Max', 'member'),
  ];
  expect(whoToAsk(people, 'chat', 'lab')).toEqual(['root']);
  expect(whoToAsk(people, 'sign', 'lab')).toEqual(['root', 'Ada Lovelace', 'Bob']);
  expect(whoToAsk(people, 'admin', 'lab')).toEqual(['root', 'Bob']);
  expect(whoToAsk(people, 'admin', undefined)).toEqual(['root']);
  expect([[], ['root'], ['root', 'Bob'], ['root', 'Bob', 'Eve', 'Max']].map(askFor)).toEqual([
    '',
    ' Ask root.',
    ' Ask root or Bob.',
    ' Ask root, Bob or Eve.',
  ]);
});
