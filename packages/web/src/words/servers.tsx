import { NPM_REGISTRY } from '@countersign/protocol';
import type { ReactElement, ReactNode } from 'react';
import { commonWords } from './common.js';

/** A world's MCP servers. */
export const serverWords = {
  ...commonWords,
  title: 'Servers',
  lead: 'MCP servers add tools to this world. Their calls need approval unless a rule allows them. If you trust a server, its read-only tools run without approval.',
  add: 'Add server',
  theServer: 'the server',
  theServers: 'the servers',
  empty: 'No MCP servers.',
  emptyHint: 'Add one with its command or URL. Its tools are named mcp__server__tool.',
  added: (name: string) => `Added ${name}.`,
  restarting: (name: string) => `Restarting ${name}.`,
  removed: (name: string) => `Removed ${name}.`,

  status: {
    off: 'off',
    idle: 'starts when needed',
    starting: 'starting',
    running: 'running',
    failed: 'failed',
    needsSignIn: 'needs sign-in',
  },
  trusted: 'trusted',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  restart: 'Restart',
  test: 'Test',
  testing: 'Testing…',
  testPassed: (name: string, tools: number) =>
    `${name} is running and offers ${tools} ${tools === 1 ? 'tool' : 'tools'}.`,
  log: 'Log',
  logTitle: (name: string) => `Log of ${name}`,
  noLog: "The server hasn't printed anything yet.",
  sandbox: 'Sandbox:',
  editTitle: (name: string) => `Edit ${name}`,
  unusedTools: 'No agent can call these tools yet. Select them in the form of an agent.',
  editAgent: (name: string) => `Edit ${name}`,
  openAgents: 'Open Agents',
  updated: (name: string) => `Updated ${name}.`,
  network: 'network',
  mayRead: 'May read',
  allowNetwork: 'Allow network',
  allowNetworkText: (name: string): ReactElement => (
    <>
      <strong>{name}</strong> will be able to reach public hosts from its sandbox, so it can download packages and send
      data. It still needs a rule to reach this machine or, on Linux, your local network.
    </>
  ),
  allowHosts: (hosts: readonly string[]) =>
    hosts.length === 1 && hosts[0] === NPM_REGISTRY ? "Allow npm's registry" : `Allow ${hosts.join(' and ')}`,
  allowHostsText: (name: string, hosts: readonly string[]): ReactElement => (
    <>
      <strong>{name}</strong> will be able to reach {hosts.join(', ')} from its sandbox. It can download from there, and
      also send data there. Other public hosts stay blocked, and private addresses need a rule.
    </>
  ),
  limitedNetwork: (hosts: readonly string[]) => `network: ${hosts.join(', ')}`,
  addRule: 'Add rule',
  addRuleText: (name: string): ReactElement => (
    <>
      This rule lets <strong>{name}</strong>, the other servers with network access, and the commands of this world
      reach the blocked address:
    </>
  ),
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedIn: 'Signed in at',
  signedOut: (name: string) => `Signed out of ${name}.`,
  signInTitle: (name: string) => `Sign in to ${name}`,
  signInLead: 'This server asks you to sign in at',
  signInStored:
    'Continue only if you recognize this address. The tokens you get are stored encrypted and sent only to this server.',
  theSignInPage: 'the sign-in page',
  continueTo: (host: string) => `Continue to ${host}`,
  clientNeeded: "Apps can't be registered automatically at",
  redirectUrl: 'Register one with this redirect URL, then enter its client ID:',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  clientSecretHint: 'Only if you got one. It is stored encrypted and never shown again.',
  trust: 'Trust',
  stopTrusting: 'Stop trusting',

  context: 'Prompts and resources',
  contextTitle: (name: string) => `Prompts and resources of ${name}`,
  contextLead: "Agents don't see them automatically. Insert one into a message with “Insert…” below the message field.",
  thePrompts: 'the prompts and resources',
  prompts: 'Prompts',
  resources: 'Resources',
  optional: (name: string) => `${name} (optional)`,
  noContext: 'This server has no prompts or resources.',
  noMatch: 'Nothing matches the filter.',
  insertTitle: 'Insert a prompt or resource',
  insertLead: 'The text comes from the server. Read it before you send it.',
  filter: 'Filter',
  reading: 'Reading…',
  emptyText: 'The server returned no text.',
  insert: 'Insert',
  back: 'Back',

  importServers: 'Import…',
  importTitle: 'Import servers',
  importLead:
    'Choose a configuration file from Claude (claude_desktop_config.json, .mcp.json), Cursor (.cursor/mcp.json) or VS Code (.vscode/mcp.json).',
  file: 'File',
  orPaste: 'Or paste the JSON',
  fileTooLarge: 'The file is larger than 1 MB.',
  next: 'Next',
  import: 'Import',
  importStopped: (failed: string, reason: string, added: readonly string[]) =>
    `Could not add ${failed}: ${reason.replace(/\.$/, '')}. Added before the error: ${added.join(', ')}.`,
  importedOff:
    'Imported servers are off and have no network access, except to hosts that you allow here. Review each one, then turn it on.',
  importedServers: (count: number) =>
    count === 1 ? 'Imported 1 server. It is turned off.' : `Imported ${count} servers. They are turned off.`,
  alreadyExists: 'A server with this name already exists.',
  valueMissing: 'Enter a value.',
  placeholderHint: (placeholder: ReactNode): ReactElement => <>Replaces {placeholder} in the file.</>,

  removeTitle: 'Remove server',
  removeText: (name: string): ReactElement => (
    <>
      This stops <strong>{name}</strong> and removes its tools and its stored environment variables and headers.
    </>
  ),

  trustTitle: 'Trust server',
  trustText: (name: string): ReactElement => (
    <>
      Read-only tools from <strong>{name}</strong> will run without approval. Its other tools still need approval unless
      a rule allows them. The server itself declares which of its tools are read-only.
    </>
  ),

  definitions: (name: string) => `Tool definitions of ${name}`,
  review: 'Review changes…',
  accept: 'Accept',
  notNow: 'Not now',
  accepted: (name: string) => `Accepted the new tool definitions of ${name}.`,
  overtaken: 'The tool definitions changed while you were reviewing. Nothing was accepted. These are the new ones:',
  changed: (tool: string, difference: ReactNode): ReactElement => (
    <>
      <code>{tool}</code> changed: {difference}. Grants for it no longer apply.
    </>
  ),

  nameHint: 'Lowercase letters, digits and hyphens.',
  transport: 'Connection',
  stdio: 'a command on this machine',
  http: 'a URL',
  url: 'URL',
  commandExample: 'npx',
  urlExample: 'https://example.com/mcp',
  argumentsHint:
    'One per line. Arguments are not encrypted: for a secret, write ${NAME} and add NAME to the variables below.',
  urlHint: 'The URL is not encrypted: for a secret, write ${NAME} and add NAME to the headers below.',
  secretInArguments: (name: string) =>
    `This seems to contain a secret, and arguments are not encrypted. Write \${${name}} in its place and add ${name} to the variables below.`,
  secretInUrl: (name: string) =>
    `This seems to contain a secret, and the URL is not encrypted. Write \${${name}} in its place and add ${name} to the headers below. It is then not sent as a header.`,
  commandHint:
    "You can paste a whole command line. Its arguments move to the field below. If the server has no sandbox, the program can read Countersign's own files, with its tokens.",
  needsShell: (syntax: string) =>
    syntax.endsWith('=')
      ? `No shell runs this command. Remove ${syntax}… here, and add it to the environment variables below.`
      : `No shell runs this command, so ${syntax} has no effect. Enter only the program and its arguments, or quote ${syntax} if it belongs to an argument.`,
  openQuote: 'A quote is never closed. Close it, or remove it.',
  environment: 'Environment variables',
  headers: 'Headers',
  addVariable: 'Add variable',
  addHeader: 'Add header',
  variable: (position: number) => `Variable ${position}`,
  header: (position: number) => `Header ${position}`,
  secretValue: (name: string) => `Value of ${name}`,
  removeSecret: (name: string) => `Remove ${name}`,
  namePlaceholder: 'NAME',
  valuePlaceholder: 'value',
  savedPlaceholder: 'saved; type to replace',
  secretsHint: 'Values are stored encrypted and never shown again.',
  noName: 'Enter a name for each value.',
  duplicateName: (name: string) => `${name} is listed twice.`,
  networkLabel: 'Network access',
  networkChoices: { none: 'none', hosts: 'only the hosts below', public: 'all public hosts' },
  networkHint:
    'What the program can reach from its sandbox. It needs a rule to reach this machine or, on Linux, your local network.',
  hosts: 'Hosts it may reach',
  hostsHint: "One per line, such as registry.npmjs.org, npm's registry. The program can also send data to them.",
  noHosts: 'Enter at least one host.',
  importHosts: (runner: string, hosts: readonly string[]) =>
    `Allow ${hosts.join(' and ')}, where ${runner} downloads packages`,
  folders: 'Folders it may read',
  foldersHint: 'One per line, absolute or starting with ~/. The program can always use the working folder.',
  trustLabel: 'Trust its read-only tools',
  trustHint:
    'Tools that declare themselves read-only run without approval. Its other tools still need approval unless a rule allows them.',
} as const;
