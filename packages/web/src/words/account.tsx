import type { Me, PersonRole, QuietHours, TokenScope } from '@countersign/protocol';
import type { PushProblem } from '../worker/subscribe.js';
import { commonWords } from './common.js';

/** The signed-in person's own account: sessions and tokens. */
export const accountWords = {
  ...commonWords,
  title: 'Account',
  theAccount: 'your account',
  roles: {
    owner: 'Owner',
    admin: 'Admin',
    approver: 'Approver',
    member: 'Member',
    viewer: 'Viewer',
  } satisfies Record<PersonRole, string>,
  /** `Approver in harbour` */
  roleIn: (role: string, world: string) => `${role} in ${world}`,
  noRole: 'No role on this server',
  limited: {
    token: (scopes: string) => `You signed in with a token that is limited to: ${scopes}.`,
    invitation: () =>
      'You opened an invitation while you were signed in elsewhere, so you can only read and chat here. To sign calls in this browser, open your account where you signed in, and choose “Open on another device”.',
    link: (scopes: string) => `This browser was opened from another device, and is limited to: ${scopes}.`,
  },
  limitedHint: {
    token: "This session was opened with a limited token, so it can't manage sessions or tokens.",
    invitation: "This session was opened with an invitation, so it can't manage sessions or tokens.",
    link: "This browser was opened with a limited link, so it can't manage sessions or tokens.",
  },
  sharedToken: 'This token belongs to nobody in particular.',
  signOut: 'Sign out',

  away: "While you're away",
  awayLead: 'Someone else can sign calls for you where a rule names you or your group.',
  limitedAway: {
    token: "This session was opened with a limited token, so it can't change who signs for you.",
    invitation: "This session was opened with an invitation, so it can't change who signs for you.",
    link: "This browser was opened with a limited link, so it can't change who signs for you.",
  },
  theDelegations: 'who signs for you',
  noDelegations: 'Nobody signs for you.',
  newDelegation: 'Choose someone',
  whoSigns: 'Who signs for you',
  firstDay: 'First day',
  lastDay: 'Last day',
  noDay: 'Enter a day.',
  toolNames: 'Tools',
  toolNamesHint: 'Names separated by spaces; a name can contain *. Empty: all tools.',
  world: 'World',
  allWorlds: 'All worlds',
  delegate: 'Let them sign',
  delegated: (name: string) => `${name} can sign for you.`,
  delegationEnded: (name: string) => `${name} no longer signs for you.`,
  signsForYou: (name: string) => `${name} signs for you`,
  youSignFor: (name: string) => `You sign for ${name}`,
  onlyTools: (tools: readonly string[] | undefined) => tools?.join(', ') ?? 'all tools',
  onlyWorlds: (worlds: readonly string[] | undefined) => worlds?.join(', ') ?? 'all worlds',
  /** `until 31/08/2030`, or `from … until …` if it hasn't started. */
  period: (from: string | undefined, until: string) => `${from === undefined ? '' : `from ${from} `}until ${until}`,

  sessions: 'Sessions',
  sessionsLead: 'Browsers in which you are signed in. One that isn’t used ends by itself.',
  theSessions: 'your sessions',
  noSessions: 'No browser is signed in.',
  thisDevice: 'this device',
  lastUsed: 'last used',
  end: 'End',
  ended: 'Session ended.',
  endOthers: 'End all others',
  othersEnded: 'All other sessions ended.',

  push: 'Notifications',
  pushLead:
    'Devices that are told when a call waits for you, also while no page is open. They can deny a call, but never approve one.',
  pushProblems: {
    insecure:
      'This address is not secure, so browsers allow no notifications here. Open Countersign over HTTPS or on localhost.',
    unsupported: 'This browser does not support notifications while the page is closed.',
    install:
      'On iPhone and iPad, only the installed app gets notifications. Choose “Add to Home Screen” in the share menu, then open Countersign from there.',
    denied: 'Notifications for this site are blocked. Allow them in the settings of the browser, then reload the page.',
  } satisfies Record<PushProblem, string>,
  pushHere: 'Turn on for this device',
  theDevices: 'your devices',
  noDevices: 'No device gets notifications.',
  through: 'through',
  lastSent: 'last sent',
  test: 'Test',
  testSent: 'Test notification sent.',
  removeDevice: 'Remove',
  quietHours: 'Quiet hours',
  quiet: ({ from, until, timeZone }: QuietHours) => `, quiet from ${from} to ${until} (${timeZone})`,
  quietLead: (timeZone: string) =>
    `Calls that arrive in these hours are announced when the hours end, in one notification for each world. Times are in ${timeZone}. Empty both for no quiet hours.`,
  quietFrom: 'From',
  quietUntil: 'Until',
  saveQuiet: 'Save',
  quietSaved: 'Quiet hours saved.',

  openDevice: 'Open on another device',
  deviceText: (scopes: string | undefined) =>
    `Open this link in the other browser. It works once, within a minute, and after you have confirmed its code here, it signs that browser in as you${scopes === undefined ? '' : `, limited to: ${scopes}`}. Don't send it to anyone else.`,
  onlySign: 'Reading and signing only',
  deviceAsks: (device: string, from: string) => `${device}, at ${from}, has opened the link and shows this code:`,
  compareCode: 'Confirm only if the other device shows the same code. Otherwise, someone else has opened the link.',
  confirmDevice: 'Confirm',
  refuseDevice: 'Refuse',
  deviceComes: 'Confirmed. The other device is signing in.',
  qrCode: 'QR code of the link',
  deviceLink: 'Link',
  linkLeft: (seconds: number) => `Works for ${seconds} s.`,
  linkExpired: 'The link has expired.',
  newLink: 'New link',
  localDevice:
    'This link only works on this computer. To open a phone or another computer, start the server with --tls, or set COUNTERSIGN_PUBLIC_URL to its address, and open Countersign there.',
  plainDevice: 'This address is not encrypted (http), so passkeys and notifications don’t work there. They need https.',
  deviceOpened: (device: string) => `Signed in: ${device}.`,
  notYou: 'If that is not your device, end its session.',
  endDevice: 'End its session',

  tokens: 'Tokens',
  tokensLead: 'For scripts and programs that act as you. A token never does more than you may.',
  theTokens: 'your tokens',
  noTokens: 'No tokens.',
  newToken: 'New token',
  tokenName: 'Name',
  tokenNameHint: 'What it is for, such as “backup script”.',
  noTokenName: 'Enter a name.',
  scopes: 'What it may do',
  scopeWords: {
    read: 'Read: worlds, chats, approvals and the audit log',
    chat: 'Chat: send messages and stop agents',
    sign: 'Sign: approve and deny calls',
    admin: 'Admin: change policies, agents, servers and people',
    propose: 'Propose: let an external agent propose calls',
  } satisfies Record<TokenScope, string>,
  noScope: 'Choose at least one.',
  expires: 'Expires',
  expiries: { 7: 'in 7 days', 30: 'in 30 days', 90: 'in 90 days', 365: 'in one year' },
  create: 'Create token',
  tokenOnce: 'Copy the token now. It is not shown again.',
  yourToken: 'Token',
  done: 'Done',
  revoke: 'Revoke',
  revoked: (name: string) => `Revoked “${name}”.`,
  revokeTitle: 'Revoke token',
  revokeText: (name: string) => `Programs that use “${name}” can't connect anymore. Sessions opened with it end too.`,
  may: (scopes: string) => `may ${scopes}`,
  neverUsed: 'never used',
  usedFrom: (address: string | undefined) =>
    address === undefined ? '' : ` from ${isHere(address) ? 'this machine' : address}`,
  expiresOn: (date: string) => `expires ${date}`,
  createdBy: (name: string) => `created by ${name}`,
} as const;

/** `Member · Approver in harbour` */
export function rolesText({ role, worldRoles }: Pick<Me, 'role' | 'worldRoles'>): string {
  const inWorlds = Object.entries(worldRoles).map(([world, each]) =>
    accountWords.roleIn(accountWords.roles[each], world),
  );
  return [...(role === null ? [] : [accountWords.roles[role]]), ...inWorlds].join(' · ') || accountWords.noRole;
}

/** Whether an address is the server's own machine. */
function isHere(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}
