import { askFor, type PersonRole } from '@countersign/protocol';
import { accountWords } from './account.js';
import { commonWords } from './common.js';
import { passkeyWords } from './passkeys.js';

const roles = accountWords.roles;

/** The people of the server, their roles, invitations and groups. */
export const peopleWords = {
  ...commonWords,
  title: 'People',
  lead: 'Who can sign in to this server, and what they may do.',
  thePeople: 'the people',
  roles,
  roleHints: {
    owner: 'Owner: everything, and can add or change owners',
    admin: 'Admin: also changes policies, agents, servers and people',
    approver: 'Approver: also approves and denies calls',
    member: 'Member: reads and sends messages',
    viewer: 'Viewer: only reads',
  } satisfies Record<PersonRole, string>,
  noServerRole: 'No role on the server, only in worlds',
  roleIn: accountWords.roleIn,
  noRole: 'No role',
  disabled: 'disabled',
  thisIsYou: 'you',
  actionsFor: (name: string) => `Actions for ${name}`,
  onlyAdmins: (names: readonly string[]) => `Only admins can change people.${askFor(names)}`,

  add: 'Add person',
  addTitle: 'Add person',
  editTitle: (name: string) => `Edit ${name}`,
  email: 'Email (optional)',
  role: 'Role on the server',
  worldRoles: 'Roles in single worlds',
  worldRolesHint: 'A role in a world counts there if it is higher than the one on the server.',
  sameAsServer: 'same as on the server',
  addAndInvite: 'Add and create invitation',
  noName: 'Enter a name.',
  changed: (name: string) => `Saved ${name}.`,

  invite: 'New invitation',
  invitationTitle: (name: string) => `Invitation for ${name}`,
  invitationText: (name: string, expires: string) =>
    `Send this link to ${name} and to nobody else. It signs them in once and works until ${expires}.`,
  earlierEnded: 'Any earlier invitation has ended.',
  invitationGives: (name: string) => `It gives all rights of ${name}.`,
  invitationIsLimited: (name: string) =>
    `It only lets ${name} read and chat, because they have a session, a passkey or a token of their own. To sign calls in another browser, they choose “Open on another device” on their account page. If ${name} can't sign in anymore, end their sessions and create another invitation.`,
  invitationLink: 'Invitation link',
  localLink:
    "This link only works on this machine. To invite people on other machines, set COUNTERSIGN_PUBLIC_URL to the server's address and create another invitation.",
  done: 'Done',

  sessions: 'Sessions',
  sessionsOf: (name: string) => `Sessions of ${name}`,
  theSessions: 'the sessions',
  endAll: 'End all',
  sessionEnded: accountWords.ended,
  allEnded: (name: string) => `All sessions of ${name} ended.`,

  passkeys: 'Passkeys',
  passkeysOf: (name: string) => `Passkeys of ${name}`,
  thePasskeys: 'the passkeys',
  confirmPasskeys: (count: number) => (count === 1 ? 'Confirm passkey…' : `Confirm ${count} passkeys…`),
  confirmPasskeyTitle: (name: string) => `Confirm a passkey of ${name}`,
  confirmPasskeyText: (passkey: string, name: string) =>
    `“${passkey}” will be able to sign calls for ${name}. Ask ${name} first whether they added it, in person or on the phone. Your browser asks for your own trusted passkey.`,
  confirmPasskey: passkeyWords.confirmButton,
  passkeyConfirmed: (name: string) => `Passkey confirmed. ${name} can sign calls with it now.`,

  disable: 'Disable',
  enable: 'Enable',
  enabled: (name: string) => `${name} can sign in again with a new invitation.`,
  disableTitle: (name: string) => `Disable ${name}`,
  disableText: 'Ends all sessions, tokens and invitations at once. You can enable the account again.',
  disabledDone: (name: string) => `Disabled ${name}.`,
  removeTitle: (name: string) => `Remove ${name}`,
  removeText:
    'Ends all sessions, tokens and invitations at once, and removes the person from groups. Signatures stay in the audit log. This is permanent.',
  removedDone: (name: string) => `Removed ${name}.`,
  inGroups: (groups: string) => `Member of ${groups}.`,
  stuckAfter: 'Nobody could satisfy these rules anymore, and their calls would wait:',
  stuckNow: 'Nobody can satisfy these rules. Their calls wait until you change the rule, the group or a role:',
  checking: 'the rules that need this person',
  inWorld: (world: string, why: string) => `in ${world}: ${why}`,

  groups: 'Groups',
  groupsLead: 'Rules can name a group: ask shell_cmd(git push *) by 2 of @release.',
  theGroups: 'the groups',
  noGroups: 'No groups.',
  newGroup: 'New group',
  editGroup: (name: string) => `Edit @${name}`,
  groupName: 'Group name',
  groupNameHint: 'Lowercase letters, digits and -, such as “release”.',
  groupPeople: 'People in it',
  nobody: 'nobody',
  oidcMembers: (group: string, members: string) => `From the OIDC group “${group}”: ${members}`,
  oidcGroup: 'OIDC group',
  oidcGroupHint: 'Members of this group at your identity provider belong to it when they sign in.',
  groupSaved: (name: string) => `Saved @${name}.`,
  groupExists: 'There is already a group with this name.',
  removeGroupTitle: (name: string) => `Remove @${name}`,
  removeGroupText: 'Rules that name this group can no longer be satisfied, and their calls wait.',
  groupRemoved: (name: string) => `Removed @${name}.`,
} as const;
