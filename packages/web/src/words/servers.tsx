import type { ReactElement, ReactNode } from 'react';
import { common } from './common.js';

/** MCP servers of a world. */
export const t = {
  ...common,
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

  status: { off: 'off', idle: 'starts when needed', starting: 'starting', running: 'running', failed: 'failed' },
  trusted: 'trusted',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  restart: 'Restart',
  trust: 'Trust',
  stopTrusting: 'Stop trusting',

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
  onePerLine: 'One per line.',
  environment: 'Environment variables',
  headers: 'Headers',
  pairsHint: 'NAME=value, one per line. Values are stored and never shown again.',
  notAPair: (line: number) => `Line ${line} must look like NAME=value.`,
  trustLabel: 'Trust its read-only tools',
  trustHint:
    'Tools that declare themselves read-only run without approval. Its other tools still need approval unless a rule allows them.',
} as const;
