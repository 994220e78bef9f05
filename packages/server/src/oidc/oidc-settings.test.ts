import { expect, it } from 'vitest';
import { checkOidcOptions, roleOf, takeOidcSettings } from './oidc-settings.js';

const good = {
  COUNTERSIGN_OIDC_ISSUER: 'https://id.example.com/realms/acme',
  COUNTERSIGN_OIDC_CLIENT_ID: 'countersign',
  COUNTERSIGN_OIDC_CLIENT_SECRET: 'a-secret',
  COUNTERSIGN_OIDC_ROLES: 'staff=member; cn=release,ou=groups=approver ;',
};

it('[WHO8] reads the environment and removes the client secret from it', () => {
  expect(takeOidcSettings({ COUNTERSIGN_OIDC_ISSUER: '' })).toBeUndefined();
  const env: NodeJS.ProcessEnv = { ...good };
  const settings = takeOidcSettings(env);
  expect(settings).toEqual({
    issuer: 'https://id.example.com/realms/acme',
    clientId: 'countersign',
    clientSecret: 'a-secret',
    name: 'id.example.com',
    groupsClaim: 'groups',
    roles: new Map([
      ['staff', 'member'],
      ['cn=release,ou=groups', 'approver'],
    ]),
  });
  expect(env).not.toHaveProperty('COUNTERSIGN_OIDC_CLIENT_SECRET');
});

it.each([
  [{ COUNTERSIGN_OIDC_ISSUER: '' }, 'COUNTERSIGN_OIDC_ISSUER: is missing.'],
  [{ COUNTERSIGN_OIDC_ISSUER: 'id.example.com' }, 'COUNTERSIGN_OIDC_ISSUER: "id.example.com" is not the URL'],
  [{ COUNTERSIGN_OIDC_ISSUER: 'http://id.example.com' }, 'COUNTERSIGN_OIDC_ISSUER: "http://id.example.com" is not'],
  [{ COUNTERSIGN_OIDC_ISSUER: 'https://a:b@id.example.com' }, 'COUNTERSIGN_OIDC_ISSUER: "https://a:b@id.example.com"'],
  [{ COUNTERSIGN_OIDC_CLIENT_ID: ' ' }, 'COUNTERSIGN_OIDC_CLIENT_ID: is missing.'],
  [{ COUNTERSIGN_OIDC_NAME: 'two\nlines' }, 'COUNTERSIGN_OIDC_NAME: must be one line'],
  [{ COUNTERSIGN_OIDC_ROLES: undefined }, 'COUNTERSIGN_OIDC_ROLES: is missing.'],
  [{ COUNTERSIGN_OIDC_ROLES: 'staff' }, 'COUNTERSIGN_OIDC_ROLES: "staff" has no role.'],
  [{ COUNTERSIGN_OIDC_ROLES: '=member' }, 'COUNTERSIGN_OIDC_ROLES: "=member" has no group.'],
  [{ COUNTERSIGN_OIDC_ROLES: 'staff=boss' }, '"boss" is not a role that the group "staff" can give. Use one of admin'],
  [{ COUNTERSIGN_OIDC_ROLES: 'staff=owner' }, '"owner" is not a role that the group "staff" can give.'],
  [{ COUNTERSIGN_OIDC_ROLES: 'a=member;a=admin' }, 'COUNTERSIGN_OIDC_ROLES: the group "a" occurs twice.'],
])('[WHO8] refuses %j', (change, problem) => {
  expect(() => takeOidcSettings({ ...good, ...change })).toThrow(problem);
});

it('[LIB5.3] [WHO8] checks the options of a program', () => {
  const options = { issuer: 'https://id.example.com', clientId: 'x', roles: { staff: 'viewer' } };
  expect(checkOidcOptions(options)).toMatchObject({ clientSecret: undefined, roles: new Map([['staff', 'viewer']]) });
  expect(() => checkOidcOptions({ ...options, roles: {} })).toThrow('oidc.roles: is missing.');
  expect(() => checkOidcOptions({ ...options, clientId: 7 })).toThrow('oidc.clientId: must be a text');
  expect(() => checkOidcOptions({ ...options, scope: 'x' })).toThrow('oidc.scope: is not an option.');
  expect(() => checkOidcOptions('x')).toThrow('oidc: must be an object.');
});

it('[WHO8.2] gives the highest role', () => {
  const settings = {
    roles: new Map([
      ['a', 'viewer'],
      ['b', 'admin'],
    ] as const),
  };
  expect(roleOf(['a', 'b', 'c'], settings)).toBe('admin');
  expect(roleOf(['c'], settings)).toBeUndefined();
  expect(roleOf([], settings)).toBeUndefined();
});
