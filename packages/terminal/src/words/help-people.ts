import type { Help } from './help.js';

export const peopleHelp = {
  about: 'Manage the people who can sign in',
  list: {
    about: 'List people with their roles',
    examples: ['countersign people', 'countersign people list --json'],
  },
  add: {
    about: 'Add a person and print a link that signs them in',
    notes: [
      'Without --role and --world, the person becomes a member of the whole server.',
      'The link works once, for a week. Send it to the person only.',
    ],
    examples: [
      'countersign people add "Ada Lovelace" --role approver',
      'countersign people add Bob --world harbour=approver',
      'countersign people add Carol --owner',
    ],
  },
  edit: {
    about: "Change a person's name, email address or roles, or enable them again",
    examples: ['countersign people edit bob --role admin', 'countersign people edit bob --world harbour=viewer'],
  },
  invite: {
    about: 'Print a new link that signs a person in',
    notes: [
      'Earlier links of the person stop working. For someone who has a session, a passkey or a token of their own, the link only lets them read and chat; they open other devices themselves, under Account.',
    ],
    examples: ['countersign people invite bob'],
  },
  disable: {
    about: 'Disable a person, and end their sessions and tokens at once',
    examples: ['countersign people disable bob'],
  },
  remove: {
    about: 'Remove a person; their signatures stay in the audit log',
    examples: ['countersign people remove bob'],
  },
  keys: {
    about: 'Print the public keys of all trusted passkeys, one per line; store them outside the home folder',
    notes: ['Keep the keys of passkeys that were removed: receipts that they signed are verified with them.'],
    examples: ['countersign people keys >> /mnt/elsewhere/keys.jsonl'],
  },
  resetPasskeys: {
    about: 'Remove all passkeys of a person who lost them and end their sessions, with the server stopped',
    notes: [
      "Run it on the machine with the home folder. On PostgreSQL, set DATABASE_URL. The reset is recorded in the server's audit log.",
    ],
    examples: ['countersign people reset-passkeys bob'],
  },
  delegate: {
    about: 'Let another person sign calls for you, until a date',
    notes: [
      'Where a rule names you or a group of yours, their signature counts as yours. They need a role that may sign calls.',
      'If you have a trusted passkey, create the delegation on your account page instead, in a browser.',
    ],
    examples: [
      'countersign people delegate bob --until 2030-08-31',
      'countersign people delegate bob --from 2030-08-01 --until 2030-08-31 --tools "shell_*" -w harbour',
    ],
  },
  delegations: {
    about: 'List who can sign for you, and for whom you can sign',
    examples: ['countersign people delegations', 'countersign people delegations bob'],
  },
  undelegate: {
    about: 'End a delegation',
    examples: ['countersign people undelegate 0a1b2c3d4e5f6071'],
  },
  until: 'last day, such as 2030-08-31, or a time, such as 2030-08-31T12:00Z; at most 90 days from now',
  from: 'first day, or a time (default: now)',
  onlyTools: 'only these tools; a name can contain * (default: all)',
  onlyWorlds: 'only this world; repeatable (default: all)',
  delegation: 'id of the delegation',
  whose: 'whose delegations they are (default: yours; for others, you need the role admin)',
  person: 'person (id or name)',
  name: 'name',
  newName: 'new name; the id stays the same',
  email: 'email address',
  noEmail: 'remove the email address',
  role: 'role on the whole server: owner, admin, approver, member or viewer',
  noRole: 'no role on the server, only those given with --world',
  owner: 'make the person an owner; the same as --role owner',
  world: 'role in one world, such as harbour=approver; repeatable',
  enable: 'enable a disabled person',
  noInvite: "don't create a link",
} satisfies Record<string, unknown> &
  Record<
    | 'list'
    | 'add'
    | 'edit'
    | 'invite'
    | 'disable'
    | 'remove'
    | 'keys'
    | 'resetPasskeys'
    | 'delegate'
    | 'delegations'
    | 'undelegate',
    Help
  >;

export const tokensHelp = {
  about: 'Manage personal tokens for programs',
  list: {
    about: 'List your tokens',
    examples: ['countersign tokens', 'countersign tokens list --person bob'],
  },
  add: {
    about: 'Create a token and print it once',
    notes: ['A token can never do more than its person. It expires after 90 days unless you set --days.'],
    examples: ['countersign tokens add backup --scopes read', 'countersign tokens add ci --scopes read,chat --days 30'],
  },
  revoke: {
    about: 'Revoke a token, and end the sessions opened with it',
    examples: ['countersign tokens revoke backup'],
  },
  name: 'name of the token, such as the program that uses it',
  token: 'token (id or name)',
  scopes: 'what it may do, separated by commas: read, chat, sign, admin, propose',
  days: 'number of days until it expires, at most 366',
  person: 'whose token it is (default: yours)',
} satisfies Record<string, unknown> & Record<'list' | 'add' | 'revoke', Help>;

export const groupsHelp = {
  about: 'Manage groups of people that rules can name',
  list: { about: 'List groups', examples: ['countersign groups'] },
  set: {
    about: 'Create a group, or replace the people in it',
    examples: [
      'countersign groups set finance ada-lovelace bob',
      'countersign groups set release --oidc-group release-managers',
      'countersign policy add "ask pay by 2 of @finance"',
    ],
  },
  remove: { about: 'Remove a group', examples: ['countersign groups remove finance'] },
  group: 'name of the group: lowercase letters, digits and -',
  people: 'people (ids or names)',
  oidcGroup: 'also include the members of this group at the OIDC provider',
  noOidcGroup: 'no longer include the members of an OIDC group',
} satisfies Record<string, string | Help>;

export const sessionsHelp = {
  about: 'Show and end browser sessions',
  list: {
    about: 'List the browsers in which you are signed in',
    examples: ['countersign sessions', 'countersign sessions list --person bob'],
  },
  end: {
    about: 'Sign a browser out',
    examples: [
      'countersign sessions end 0a1b2c3d4e5f6071',
      'countersign sessions end --all',
      'countersign sessions end --all --person bob',
    ],
  },
  session: 'id of the session',
  all: 'sign all browsers out',
  person: 'whose sessions they are (default: yours; for others, you need the role admin)',
} satisfies Record<string, string | Help>;
