import { askFor } from '@countersign/protocol';
import type { ReactElement, ReactNode } from 'react';
import { commonWords } from './common.js';

/** The frame around all pages: sign-in, navigation, worlds and errors. */
export const shellWords = {
  ...commonWords,
  product: 'Countersign',
  staleSave: 'Someone else changed this while you were editing. Reload it, then make your change again.',
  nothingWaits: 'Nothing is waiting for you.',
  waitingCalls: (count: string) => `${count} calls are waiting for you`,
  agentWaits: (agentName: string) => `${agentName} is waiting for you`,
  pages: {
    chat: 'Chat',
    inbox: 'Inbox',
    policy: 'Policy',
    grants: 'Grants',
    agents: 'Agents',
    servers: 'Servers',
    schedules: 'Schedules',
    settings: 'Settings',
    providers: 'Providers',
    computer: 'Agents on this computer',
    audit: 'Audit',
    stats: 'Statistics',
    search: 'Search',
    review: 'Review',
    changes: 'Changes',
    start: 'Use a real model',
    account: 'Account',
    people: 'People',
    serverAudit: 'Server log',
  },
  signingIn: 'Signing in…',
  signedInTo: (server: string) => `You are signed in to the MCP server ${server}. You can close this page.`,
  backToApp: 'Back to Countersign',
  accountOf: (name: string, toConfirm: number) =>
    `Account: ${name}${toConfirm === 0 ? '' : `, ${toConfirm} ${toConfirm === 1 ? 'passkey' : 'passkeys'} to confirm`}`,
  passkeysToConfirm: 'passkeys to confirm',
  peopleWith: (toConfirm: number) =>
    toConfirm === 0 ? 'People' : `People (${toConfirm} ${toConfirm === 1 ? 'passkey' : 'passkeys'} to confirm)`,
  signOut: 'Sign out',
  whoMay: (needs: 'chat' | 'sign' | 'admin', isInWorld: boolean, names: readonly string[]) => {
    const admins = isInWorld ? 'admins' : 'admins of the whole server';
    const least = { chat: 'members', sign: 'approvers', admin: admins }[needs];
    const what = { chat: 'send messages here', sign: 'sign calls here', admin: 'change this' }[needs];
    return `Only ${least} can ${what}.${askFor(names)}`;
  },
  noWorldsForYou: 'You can’t open any world yet. Ask an admin to give you a role in one.',
  skip: 'Skip to content',
  sidebar: 'Chats and agents',
  sidebarWith: (pending: string) => `Chats and agents, ${pending} in your inbox`,
  inInbox: 'in your inbox',
  world: (name: string) => `World: ${name}`,
  openNewWorld: 'New world…',
  chats: 'Chats',
  navigation: 'Pages',
  noChats: 'No chats yet. Send a message to start one.',
  moreChats: 'Show more chats',
  showArchived: (count: number) => `Show archived (${count})`,
  hideArchived: 'Hide archived',
  chatGroups: {
    pinned: 'Pinned',
    today: 'Today',
    yesterday: 'Yesterday',
    week: 'Last 7 days',
    archived: 'Archived',
  },
  worldSettings: 'World settings',
  allAgents: 'All agents',
  theme: 'Theme',
  themes: { system: 'as the system', light: 'light', dark: 'dark' },

  loading: (what: string) => `Loading ${what}…`,
  thePage: 'the page',
  theWorld: 'the world',
  yourWorlds: 'your worlds',
  notFound: 'Not found',
  notFoundTitle: 'This page does not exist.',
  notFoundHint: 'Choose a chat or a page in the sidebar.',
  codeFailed: 'This page could not be loaded. Reload to get the current version.',

  reconnecting: 'No connection to the server. Reconnecting…',
  reconnected: 'Reconnected.',
  sessionEnded: 'This session has ended.',
  pairing: 'Compare the code',
  pairingLead: 'Confirm this code on the device that showed you the link. Then this browser is signed in.',
  signIn: (
    <>
      To sign in, open a start link. It works once, for one minute. To get one, run{' '}
      <code className="font-mono text-sm">countersign open</code> on the server's machine, or press Enter in the
      server's terminal.
    </>
  ),
  signInAgain: 'Sign in again below, or ask an admin for a new invitation link.',
  keepTab:
    'Open the link in another tab in this browser and keep this one open. It picks up where you left off, with everything you typed.',
  signInInvited: 'If you were invited, open your invitation link. It works once.',
  token: 'Or paste a token',
  tokenHint: "A personal token (cs_…) or the server's token. It is exchanged for a session and not saved.",
  noToken: 'Enter a token.',
  signInWith: (name: string): string => `Sign in with ${name}`,
  signInButton: 'Sign in',

  crashed: "This page can't be shown",
  crashedHint:
    'Nothing was decided and nothing is lost. Try again or reload. If that does not help, open the same world in the terminal.',
  reload: 'Reload',

  noWorlds: 'No worlds yet',
  noWorldsHint:
    'A world is where agents work. It has a folder, a policy and chats. Create one, then add an agent to it.',
  noSuchWorld: (id: ReactNode): ReactElement => <>There is no world “{id}”.</>,
  deletedWorld: (name: ReactNode): ReactElement => <>The world “{name}” was deleted.</>,
  createAnother: 'Create another one',
  otherWorlds: 'Other worlds:',
  createWorld: 'Create world',
  folderHint: 'The folder its agents read and write. You can set it later.',

  importTitle: 'Import world',
  importLead:
    'Choose an exported world: one YAML file with agents, rules and servers. Its servers are turned off, and its allow rules have no effect until you accept them.',
  file: 'File',
  orText: 'Or paste the YAML',
  import: 'Import',
  tooLong: 'This file is too large to be an exported world.',
  imported: 'World imported',
  importedAs: (name: ReactNode, proposed: number): ReactElement => (
    <>
      Imported {name}.{' '}
      {proposed === 0
        ? 'It has no allow rules.'
        : proposed === 1
          ? 'One allow rule is proposed but not in effect. Review it under Policy.'
          : `${proposed} allow rules are proposed but not in effect. Review them under Policy.`}
    </>
  ),
  reviewRules: 'Review rules',
  openWorld: 'Open world',
} as const;
