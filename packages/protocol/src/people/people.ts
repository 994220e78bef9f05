import { z } from 'zod';
import { api, field, text, createdAt } from '../input/field.js';
import { listNames } from '../calls/needed-signatures.js';
import { HIDDEN_IN_PROSE } from '../text/hidden.js';
import { looksLike } from '../text/looks-like.js';
import { RESERVED_NAMES } from '../text/names.js';

/** What a person or a token may do (WHO4). `propose` is only for tokens of external agents. */
export const ACTIONS = ['read', 'chat', 'sign', 'admin'] as const;
export type Action = (typeof ACTIONS)[number];

export const tokenScopeSchema = z.enum([...ACTIONS, 'propose']);
export type TokenScope = z.infer<typeof tokenScopeSchema>;

/** The id of the audit log for changes that belong to no world (WHO4.6). Ids of worlds never begin with an underscore. */
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

/** A person who can sign in (WHO4). */
export const personSchema = z.object({
  id: text('Id of the person.'),
  name: text('Name of the person.'),
  email: text('Email address. Shown only to admins and to the person.').exactOptional(),
  role: field(personRoleSchema.nullable(), 'Role on the server. Null: only the roles in `worldRoles`.'),
  worldRoles: field(z.record(z.string(), personRoleSchema), 'Roles in individual worlds, by world id.'),
  status: field(
    personStatusSchema.exactOptional(),
    'active, disabled or removed. Only active people can sign in. Shown only to admins and to the person.',
  ),
  passkeysToConfirm: field(
    z.number().int().exactOptional(),
    'How many passkeys wait for an admin to confirm them. Only for admins; absent if none.',
  ),
  createdAt,
});
api.add(personSchema, { id: 'Person' });
export type Person = z.infer<typeof personSchema>;

export const newPersonSchema = z.strictObject({
  name: field(personNameSchema.clone(), 'Name of the person.'),
  email: field(emailSchema.exactOptional(), 'Email address. Shown only to admins and to the person.'),
  role: field(
    personRoleSchema.nullable().default('member'),
    'Role on the server. Null: only the roles in `worldRoles`.',
  ),
  worldRoles: field(worldRolesSchema.default({}), 'Roles in individual worlds, by world id.'),
});
export type NewPerson = z.input<typeof newPersonSchema>;

export const personChangeSchema = z.strictObject({
  name: field(personNameSchema.exactOptional(), 'Name of the person.'),
  email: field(emailSchema.nullable().exactOptional(), 'Email address. Shown only to admins and to the person.'),
  role: field(personRoleSchema.nullable().exactOptional(), 'Role on the server. Null: only the roles in `worldRoles`.'),
  worldRoles: field(worldRolesSchema.exactOptional(), 'Roles in individual worlds, by world id.'),
  status: field(z.enum(['active', 'disabled']).exactOptional(), 'active or disabled.'),
});
export type PersonChange = z.infer<typeof personChangeSchema>;

/** A single-use link that signs a person in: an invitation, or one that the person creates for another device. */
export const invitationSchema = z.object({
  open: text('Invitation link to open in a browser.'),
  expiresAt: text('When it expires.'),
  scopes: field(
    z.array(tokenScopeSchema).exactOptional(),
    'What the session may do at most. Absent: everything that the person may do.',
  ),
});
api.add(invitationSchema, { id: 'Invitation' });
export type Invitation = z.infer<typeof invitationSchema>;

export const deviceLinkSchema = invitationSchema.extend({ id: text('Id of the link.') });
api.add(deviceLinkSchema, { id: 'DeviceLink' });
export type DeviceLink = z.infer<typeof deviceLinkSchema>;

export const deviceLinkStateSchema = z.object({
  asked: field(
    z
      .object({
        device: text('Browser and system, such as Chrome on Linux.'),
        from: text('Its address.'),
        code: text('What it shows. Confirm only this code.'),
      })
      .exactOptional(),
    'The device that has opened the link, and waits. Absent: none yet.',
  ),
});
export type DeviceLinkState = z.infer<typeof deviceLinkStateSchema>;

export const deviceConfirmationSchema = z.strictObject({
  code: field(z.string().regex(/^\d{6}$/, 'must be six digits'), 'The code that the other device shows.'),
});

export const newTokenSchema = z.strictObject({
  name: field(oneLine(100), 'Name of the token.'),
  scopes: field(
    z.array(tokenScopeSchema).min(1, 'choose at least one scope').max(5),
    'What the token may do: read, chat, sign, admin or propose.',
  ),
  expiresAt: field(
    z.iso.datetime({ offset: true }).exactOptional(),
    'When it expires. Null: never. Default: 90 days from now.',
  ),
});
export type NewToken = z.infer<typeof newTokenSchema>;

/** A personal token, without its secret. */
export const tokenSchema = z.object({
  id: text('Id of the token.'),
  name: text('Name of the token.'),
  scopes: field(z.array(tokenScopeSchema), 'What the token may do: read, chat, sign, admin or propose.'),
  external: field(
    z
      .object({
        world: text('Id of the world.'),
        agent: text('Id of the agent.'),
        also: field(
          z.array(z.object({ world: text('Id of the world.'), agent: text('Id of the agent.') })).exactOptional(),
          'The same for further worlds.',
        ),
      })
      .exactOptional(),
    'The external agent whose calls it proposes, if it can do nothing else.',
  ),
  createdBy: text('Name of the person who created it, if it was someone else.').exactOptional(),
  createdAt,
  usedAt: text('When it was last used.').exactOptional(),
  usedFrom: text('The address that last used it.').exactOptional(),
  expiresAt: text('When it expires.'),
});
api.add(tokenSchema, { id: 'Token' });
export type Token = z.infer<typeof tokenSchema>;

/** A new token. Its secret is returned only here. */
export const createdTokenSchema = tokenSchema.extend({ token: text('The token. Returned only here.') });
export type CreatedToken = z.infer<typeof createdTokenSchema>;

/** A browser session. */
export const openSessionSchema = z.object({
  id: text('Id of the session.'),
  device: text('Browser and system, such as Chrome on Linux.'),
  current: field(z.boolean(), 'Whether this request came from it.'),
  createdAt,
  usedAt: text('When it was last used.'),
  usedFrom: text('The address that last used it.').exactOptional(),
  expiresAt: text('When the session ends if it is not used.'),
});
api.add(openSessionSchema, { id: 'OpenSession' });
export type OpenSession = z.infer<typeof openSessionSchema>;

/** A rule about who must sign that nobody can satisfy (SIGN1.9). */
export const stuckRuleSchema = z.object({
  world: text('Id of the world.'),
  worldName: text('Name of the world.'),
  agent: text("The name of the agent, if it is one of the agent's own rules.").exactOptional(),
  rule: text('The rule.'),
  why: text('The reason as a sentence.'),
});
export type StuckRule = z.infer<typeof stuckRuleSchema>;

export const stuckRulesQuerySchema = z.strictObject({
  without: field(
    z.string().min(1).max(200).exactOptional(),
    'Id of a person. Lists the rules that nobody could satisfy if this person were disabled or removed.',
  ),
});

/** Who sends the requests, and what they may do on the server and in each world. */
export const meSchema = z.object({
  kind: field(z.enum(['person', 'token']), 'person, or token for a shared token that belongs to nobody in particular.'),
  id: text('Id of the person or token.'),
  name: text('Name of the person or token.'),
  via: text('Device or client that it came from.'),
  email: text('Email address. Shown only to admins and to the person.').exactOptional(),
  role: field(personRoleSchema.nullable(), 'Role on the server. Null: only the roles in `worldRoles`.'),
  worldRoles: field(z.record(z.string(), personRoleSchema), 'Roles in individual worlds, by world id.'),
  actions: field(
    z.array(tokenScopeSchema),
    'What this credential may do on the server and in worlds without another role.',
  ),
  scopes: field(
    z.array(tokenScopeSchema).exactOptional(),
    'The scopes of the token, or of the token, invitation or link with which the session was opened. Absent: everything that the roles allow.',
  ),
  limitedBy: field(
    z.enum(['token', 'invitation', 'link']).exactOptional(),
    'Whether `scopes` are those of a token, of an invitation (WHO5.1) or of a link to another device (WHO2).',
  ),
  passkeysToConfirm: field(
    z.number().int().exactOptional(),
    'How many passkeys of other people wait for you to confirm them. For admins; absent if none.',
  ),
  mounted: field(
    z.literal(true).exactOptional(),
    'The server is part of a program, and has no routes to manage people or to read its log.',
  ),
});
api.add(meSchema, { id: 'Me' });
export type Me = z.infer<typeof meSchema>;

export const groupNameSchema = z
  .string()
  .regex(/^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u, 'can contain only lowercase letters, digits and -')
  .max(64, 'can have at most 64 characters');
export const groupSchema = z.object({
  name: text('Name of the group.'),
  people: field(z.array(z.string()), 'Ids of people.'),
  oidcGroup: text('The OIDC group whose members belong to it.').exactOptional(),
  oidcMembers: field(z.array(z.string()).exactOptional(), 'Ids of those members, as of their last check.'),
});
api.add(groupSchema, { id: 'Group' });
export type Group = z.infer<typeof groupSchema>;

export const groupChangeSchema = z.strictObject({
  people: field(z.array(z.string().min(1).max(200)).max(1_000), 'Ids of people.'),
  oidcGroup: field(oneLine(200).exactOptional(), 'OIDC group whose members belong to the group.'),
});
export type GroupChange = z.infer<typeof groupChangeSchema>;
