import { z } from 'zod';
import { listNames } from '../calls/needed-signatures.js';
import { HIDDEN_IN_PROSE } from '../text/hidden.js';
import { looksLike } from '../text/looks-like.js';
import { RESERVED_NAMES } from '../text/names.js';

/** What a person or a token may do (W8). `propose` is only for tokens of external agents. */
export const ACTIONS = ['read', 'chat', 'sign', 'admin'] as const;
export type Action = (typeof ACTIONS)[number];

export const tokenScopeSchema = z.enum([...ACTIONS, 'propose']);
export type TokenScope = z.infer<typeof tokenScopeSchema>;

/** The id of the audit log for changes that belong to no world (W8.6). Ids of worlds never begin with an underscore. */
export const SERVER_LOG = '_server';

/** From most to least privileged. */
export const ROLES = ['owner', 'admin', 'approver', 'member', 'viewer'] as const;
export const personRoleSchema = z.enum(ROLES);
export type PersonRole = z.infer<typeof personRoleSchema>;

/** Roles and their actions. An owner can also create, change and remove owners. */
export const ROLE_ACTIONS: Readonly<Record<PersonRole, readonly TokenScope[]>> = {
  owner: ['read', 'chat', 'sign', 'admin', 'propose'],
  admin: ['read', 'chat', 'sign', 'admin', 'propose'],
  approver: ['read', 'chat', 'sign', 'propose'],
  member: ['read', 'chat', 'propose'],
  viewer: ['read'],
};

const personStatusSchema = z.enum(['active', 'disabled', 'removed']);
export type PersonStatus = z.infer<typeof personStatusSchema>;

interface Rights {
  role: PersonRole | null;
  worldRoles: Readonly<Record<string, PersonRole>>;
  status: PersonStatus;
}

/**
 * What a person may do in a world, or on the server if `worldId` is undefined: the higher of the two roles, limited by the scopes of the
 * credential. A disabled person may do nothing.
 */
export function effectiveActions(
  { role, worldRoles, status }: Rights,
  worldId: string | undefined,
  scopes: readonly TokenScope[] | undefined,
): ReadonlySet<TokenScope> {
  if (status !== 'active') return new Set();
  const inWorld = worldId !== undefined && Object.hasOwn(worldRoles, worldId) ? worldRoles[worldId] : undefined;
  const allowed = [...actionsOf(role), ...actionsOf(inWorld)];
  return new Set(allowed.filter((action) => scopes?.includes(action) ?? true));
}

/** Whether you may do something in a world, or on the server if `worldId` is undefined. A shared token has an owner's rights. */
export function mayDo(me: Me, action: TokenScope, worldId?: string): boolean {
  if (me.kind === 'token') return true;
  const { role, worldRoles, scopes } = me;
  return effectiveActions({ role, worldRoles, status: 'active' }, worldId, scopes).has(action);
}

/** Whom to ask for something: people who may do it, or who can give the role for reading or sending messages. */
export function whoToAsk(
  people: readonly (Rights & { name: string })[],
  action: TokenScope,
  worldId: string | undefined,
): string[] {
  const isDoneForYou = action === 'sign' || action === 'admin';
  return people
    .filter((each) =>
      effectiveActions(each, isDoneForYou ? worldId : undefined, undefined).has(isDoneForYou ? action : 'admin'),
    )
    .map(({ name }) => name);
}

/** " Ask Ada Lovelace, Bob or Eve.", with at most three names. Empty without any. */
export function askFor(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Ask ${listNames(names.slice(0, 3), 'or')}.`;
}

function actionsOf(role: PersonRole | null | undefined): readonly TokenScope[] {
  return role === null || role === undefined ? [] : ROLE_ACTIONS[role];
}

const UNCLEAR = new RegExp(String.raw`[\t\n]|${HIDDEN_IN_PROSE}`, 'u');
const NOT_PEOPLE = ['token', 'program', 'countersign', 'countersign_token', 'browser', ...RESERVED_NAMES];

export const oneLine = (longest: number): z.ZodString =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(longest, `can have at most ${longest} characters`)
    .refine((text) => text.trim() === text && !UNCLEAR.test(text), 'must be one line of visible characters');

/** A display name. It can't be mistaken for an agent, a token or Countersign itself. */
export const personNameSchema = oneLine(100).refine(
  (name) => !NOT_PEOPLE.some((each) => looksLike(each, name)),
  'this name is reserved',
);

const emailSchema = z.email('must be an email address, such as ada@example.com').max(200);
const worldRolesSchema = z.record(z.string().min(1).max(200), personRoleSchema.exclude(['owner']));

/** A person who can sign in (W8). */
export const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().exactOptional(),
  /** The role on the whole server. Null if the person only has roles in worlds. */
  role: personRoleSchema.nullable(),
  worldRoles: z.record(z.string(), personRoleSchema),
  /** Like `email`, only for admins and the person. */
  status: personStatusSchema.exactOptional(),
  /** How many passkeys of the person wait until someone confirms them (W8.8). For admins who can; absent if none. */
  passkeysToConfirm: z.number().int().exactOptional(),
  createdAt: z.string(),
});
export type Person = z.infer<typeof personSchema>;

export const newPersonSchema = z.strictObject({
  name: personNameSchema,
  email: emailSchema.exactOptional(),
  role: personRoleSchema.nullable().default('member'),
  worldRoles: worldRolesSchema.default({}),
});
export type NewPerson = z.input<typeof newPersonSchema>;

export const personChangeSchema = z.strictObject({
  name: personNameSchema.exactOptional(),
  email: emailSchema.nullable().exactOptional(),
  role: personRoleSchema.nullable().exactOptional(),
  worldRoles: worldRolesSchema.exactOptional(),
  status: z.enum(['active', 'disabled']).exactOptional(),
});
export type PersonChange = z.infer<typeof personChangeSchema>;

/** A single-use link that signs a person in: an invitation, or one that the person creates for another device. */
export const invitationSchema = z.object({
  open: z.string(),
  expiresAt: z.string(),
  /** What the session may do at most. Absent: everything that the person may do. */
  scopes: z.array(tokenScopeSchema).exactOptional(),
});
export type Invitation = z.infer<typeof invitationSchema>;

export const newTokenSchema = z.strictObject({
  name: oneLine(100),
  scopes: z.array(tokenScopeSchema).min(1, 'choose at least one scope').max(5),
  /** Null: the token doesn't expire. Default: 90 days from now. */
  expiresAt: z.iso.datetime({ offset: true }).exactOptional(),
});
export type NewToken = z.infer<typeof newTokenSchema>;

/** A personal token, without its secret. */
export const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(tokenScopeSchema),
  /** The external agent whose calls it proposes, if it can do nothing else (A55). */
  external: z.object({ world: z.string(), agent: z.string() }).exactOptional(),
  /** The name of the person who created it, if it was someone else. */
  createdBy: z.string().exactOptional(),
  createdAt: z.string(),
  usedAt: z.string().exactOptional(),
  /** The address that last used it. */
  usedFrom: z.string().exactOptional(),
  expiresAt: z.string(),
});
export type Token = z.infer<typeof tokenSchema>;

/** A new token. Its secret is returned only here. */
export const createdTokenSchema = tokenSchema.extend({ token: z.string() });
export type CreatedToken = z.infer<typeof createdTokenSchema>;

/** A browser session. */
export const openSessionSchema = z.object({
  id: z.string(),
  /** Such as "Chrome on Linux". */
  device: z.string(),
  /** Whether this request came from it. */
  current: z.boolean(),
  createdAt: z.string(),
  usedAt: z.string(),
  /** The address that last used it. */
  usedFrom: z.string().exactOptional(),
  expiresAt: z.string(),
});
export type OpenSession = z.infer<typeof openSessionSchema>;

/** A rule about who must sign that nobody can satisfy (A48.11). */
export const stuckRuleSchema = z.object({
  world: z.string(),
  worldName: z.string(),
  /** The name of the agent, if it is one of the agent's own rules. */
  agent: z.string().exactOptional(),
  rule: z.string(),
  why: z.string(),
});
export type StuckRule = z.infer<typeof stuckRuleSchema>;

export const stuckRulesQuerySchema = z.strictObject({ without: z.string().min(1).max(200).exactOptional() });

/** Who sends the requests, and what they may do on the server and in each world. */
export const meSchema = z.object({
  kind: z.enum(['person', 'token']),
  id: z.string(),
  name: z.string(),
  via: z.string(),
  email: z.string().exactOptional(),
  role: personRoleSchema.nullable(),
  worldRoles: z.record(z.string(), personRoleSchema),
  /** What this credential may do on the server and in worlds without another role. */
  actions: z.array(tokenScopeSchema),
  /** The scopes of the token, or of the token or invitation with which the session was opened. Absent: everything that the roles allow. */
  scopes: z.array(tokenScopeSchema).exactOptional(),
  /** Where the scopes come from. */
  limitedBy: z.enum(['token', 'invitation']).exactOptional(),
  /** How many passkeys of other people wait for you to confirm them (W8.8). For admins; absent if none. */
  passkeysToConfirm: z.number().int().exactOptional(),
  /** The server is part of a program, and has no routes to manage people or to read its log. */
  mounted: z.literal(true).exactOptional(),
});
export type Me = z.infer<typeof meSchema>;

export const groupNameSchema = z
  .string()
  .regex(/^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u, 'can contain only lowercase letters, digits and -')
  .max(64, 'can have at most 64 characters');
export const groupSchema = z.object({
  name: z.string(),
  /** Ids of people. */
  people: z.array(z.string()),
  /** The OIDC group whose members belong to it. */
  oidcGroup: z.string().exactOptional(),
  /** Ids of those members, as of their last check. */
  oidcMembers: z.array(z.string()).exactOptional(),
});
export type Group = z.infer<typeof groupSchema>;

export const groupChangeSchema = z.strictObject({
  people: z.array(z.string().min(1).max(200)).max(1_000),
  oidcGroup: oneLine(200).exactOptional(),
});
export type GroupChange = z.infer<typeof groupChangeSchema>;
