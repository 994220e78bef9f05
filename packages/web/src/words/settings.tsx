import type { ReactElement } from 'react';
import { commonWords } from './common.js';

/** Settings for a world and its agents. */
export const settingsWords = {
  ...commonWords,
  settings: 'Settings',
  theSettings: 'the settings',
  stale: 'Someone else changed these settings.',
  discard: 'Discard my changes',

  description: 'Description',
  folderHint: 'The folder that file tools and commands work in.',
  roots: 'Roots',
  rootsHint:
    'Folders, one per line. Admins of this world can choose its folder inside them, and open folders to commands.',
  mode: 'Mode',
  modes: { ask: 'Ask', read: 'Read', auto: 'Auto' },
  modeHints: {
    ask: "Calls need approval unless a rule allows them or their tool doesn't require it.",
    read: 'Only read-only tools run.',
    auto: 'Calls inside the sandbox and the working folder need no approval.',
  },
  mainAgent: 'Main agent',
  mainAgentHint: "Receives messages that don't mention anyone.",
  noMainAgent: 'none: all agents answer',
  turnLimit: 'Turn limit',
  turnLimitHint: 'Maximum number of turns per agent between messages from a person.',
  maxIterations: 'Model calls per turn',
  maxParallelTools: 'Parallel tool calls',
  maxParallelToolsHint: 'Only read-only tools run in parallel.',
  timeout: 'Approvals expire after (seconds)',
  timeoutHint: 'Leave empty for no limit. Expired calls are denied.',
  unattended: 'When nobody is connected to approve',
  unattendedWait: 'wait until someone connects',
  unattendedDeny: 'deny immediately',
  rehearse: 'Before asking for approval',
  rehearseOn: 'rehearse commands and show what they will do',
  rehearseOff: 'ask without a rehearsal',
  streaming: 'Stream answers as the model writes them',
  notWhole: 'Enter a whole number, such as 10.',
  notSeconds: 'Enter a number of seconds, such as 30 or 0.5.',

  realModel: 'Use a real model',
  realModelLead: 'Add a provider, choose one of its models, and get a ready-made agent in this world.',

  exportTitle: 'Export, import, delete',
  exportLead:
    'An export is one YAML file with agents, policy and servers, without secrets. In an imported world, servers are turned off and allow rules have no effect until you accept them.',
  export: 'Export',
  deleteWorld: 'Delete world…',
  deleteTitle: 'Delete world',
  deleteText: (name: string): ReactElement => (
    <>
      This deletes all chats, agents, rules and grants of this world. The audit log is kept. Type{' '}
      <strong>{name}</strong> to continue.
    </>
  ),
  worldName: 'Name of the world',

  agents: 'Agents',
  agentsLead:
    'An agent is a model with a name, a prompt and a list of tools it may call. The policy and you decide which calls run.',
  addAgent: 'Add agent',
  onThisComputer: 'Agents on this computer',
  fromTemplate: 'From a template',
  noAgents: 'No agents yet.',
  noAgentsHint: 'Add one with a model and some tools, then write to it in a chat.',
  mainBadge: 'main agent',
  noTools: 'no tools',
  agentTitle: (name: string) => `Agent ${name}`,
  agentRemoved: (name: string) => `Removed ${name}.`,
  agentAdded: (name: string) => `Added ${name}.`,
  removeAgent: 'Remove agent',
  removeAgentText: (name: string): ReactElement => (
    <>
      <bdi className="font-semibold">{name}</bdi> will stop answering, and its grants will end. Its messages stay in the
      transcripts.
    </>
  ),
  theAgent: 'the agent',
  agentNameHint: 'Letters, digits, spaces, - and _. Mention it as @name.',
  provider: 'Provider',
  theProviders: 'the providers',
  systemPrompt: 'System prompt',
  agentTools: 'Tools it may call',
  allTools: 'All tools of this world',
  allToolsOf: (server: string) => `All tools of the MCP server ${server}`,
  allToolsOfHint: 'Including tools that the server adds later.',
  theTools: 'the tools',
  readOnly: 'read-only',
  more: 'More',
  agentRules: "The agent's own rules",
  agentRulesHint: "They can only be stricter than the world's rules.",
  active: 'Active: takes part in chats',
} as const;
