import { CountersignError, personRoleSchema, ROLES, type PersonRole } from '@countersign/protocol';
import { isLoopback } from '../auth/check-host.js';

/** Sign-in with an OIDC provider (WHO8). */
export interface OidcOptions {
  /** The provider's issuer URL, such as `https://id.example.com`. */
  issuer: string;
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string;
  /** The provider's name on the sign-in button. Default: the host of the issuer. */
  name?: string;
  /** The claim that lists the person's groups. Default: `groups`. */
  groupsClaim?: string;
  /** The role that each group gives on this server. People with no such group can't sign in. */
  roles: Readonly<Record<string, Exclude<PersonRole, 'owner'>>>;
}

export type OidcSettings = Required<Omit<OidcOptions, 'clientSecret' | 'roles'>> & {
  clientSecret: string | undefined;
  roles: ReadonlyMap<string, PersonRole>;
};

const VARIABLES = {
  issuer: 'COUNTERSIGN_OIDC_ISSUER',
  clientId: 'COUNTERSIGN_OIDC_CLIENT_ID',
  clientSecret: 'COUNTERSIGN_OIDC_CLIENT_SECRET',
  name: 'COUNTERSIGN_OIDC_NAME',
  groupsClaim: 'COUNTERSIGN_OIDC_GROUPS_CLAIM',
  roles: 'COUNTERSIGN_OIDC_ROLES',
} as const;
type Field = keyof typeof VARIABLES;
type Labels = Readonly<Record<Field, string>>;
const GIVEABLE = ROLES.filter((role) => role !== 'owner').join(', ');

/** Reads the environment. Removes the client secret from it: child processes would inherit it. Undefined if OIDC is not configured. */
export function takeOidcSettings(env: NodeJS.ProcessEnv): OidcSettings | undefined {
  const read = (field: Field): string | undefined => env[VARIABLES[field]]?.trim() || undefined;
  const given = Object.fromEntries(
    Object.keys(VARIABLES).flatMap((field) => {
      const value = read(field as Field);
      return value === undefined ? [] : [[field, value]];
    }),
  ) as Partial<Record<Field, string>>;
  delete env[VARIABLES.clientSecret];
  if (Object.keys(given).length === 0) return undefined;
  return check({ ...given, roles: parseRoles(given.roles ?? '') }, VARIABLES);
}

/** Checks the options of a program that mounts the API. */
export function checkOidcOptions(options: unknown): OidcSettings {
  const fields = Object.keys(VARIABLES) as Field[];
  const labels = Object.fromEntries(fields.map((field) => [field, `oidc.${field}`])) as Labels;
  if (typeof options !== 'object' || options === null) throw wrong('oidc', 'must be an object');
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(VARIABLES, key));
  if (unknown !== undefined) throw wrong(`oidc.${unknown}`, 'is not an option');
  const { roles, ...texts } = options as Partial<Record<Field, unknown>>;
  const bad = Object.entries(texts).find(([, value]) => typeof value !== 'string' || value.trim() === '')?.[0];
  if (bad !== undefined) throw wrong(`oidc.${bad}`, 'must be a text that is not empty');
  const pairs = typeof roles === 'object' && roles !== null ? Object.entries(roles) : [];
  return check({ ...(texts as Partial<Record<Field, string>>), roles: pairs }, labels);
}

interface Given extends Partial<Record<Exclude<Field, 'roles'>, string>> {
  roles: readonly (readonly [group: string, role: unknown])[];
}

function check(
  { issuer, clientId, clientSecret, name, groupsClaim = 'groups', roles }: Given,
  labels: Labels,
): OidcSettings {
  if (issuer === undefined) throw wrong(labels.issuer, 'is missing. Sign-in with OIDC needs the URL of the provider');
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (
    url === undefined ||
    !isSecure ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw wrong(
      labels.issuer,
      `"${issuer}" is not the URL of an OIDC provider. Expected something like https://id.example.com`,
    );
  if (clientId === undefined)
    throw wrong(labels.clientId, 'is missing. Register Countersign with the provider to get one');
  if (roles.length === 0)
    throw wrong(labels.roles, 'is missing. Say which groups may sign in, such as "staff=member; release=approver"');
  const mapped = new Map<string, PersonRole>();
  for (const [group, given] of roles) {
    const role = personRoleSchema.exclude(['owner']).safeParse(given);
    if (group === '') throw wrong(labels.roles, `"=${String(given)}" has no group. Write GROUP=ROLE`);
    if (!role.success)
      throw wrong(
        labels.roles,
        `"${String(given)}" is not a role that the group "${group}" can give. Use one of ${GIVEABLE}`,
      );
    if (mapped.has(group)) throw wrong(labels.roles, `the group "${group}" occurs twice`);
    mapped.set(group, role.data);
  }
  const shown = name ?? url.host;
  if (shown.length > 60 || /[\p{C}\p{Zl}\p{Zp}]/u.test(shown))
    throw wrong(labels.name, 'must be one line of at most 60 visible characters');
  return { issuer, clientId, clientSecret, name: shown, groupsClaim, roles: mapped };
}

/** `staff=member; release=approver`. A group's name may contain commas and `=`, as those from LDAP do. */
function parseRoles(text: string): [string, string][] {
  return text
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 0) throw wrong(VARIABLES.roles, `"${pair}" has no role. Write GROUP=ROLE, separated by semicolons`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    });
}

function wrong(field: string, problem: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${problem}.`, { field });
}

/** The highest role that a person's groups give. Undefined if they give none. */
export function roleOf(groups: readonly string[], { roles }: Pick<OidcSettings, 'roles'>): PersonRole | undefined {
  const given = new Set(groups.map((group) => roles.get(group)));
  return ROLES.find((role) => given.has(role));
}
