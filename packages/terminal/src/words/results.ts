import { costText, durationText, type Used } from '@countersign/client';
import type { Group, Run } from '@countersign/protocol';
import { quote } from '../text/quote.js';
import { thenRun } from './then-run.js';

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Denials give a person's words as the reason, other states whole sentences. */
function runStateText({ id, state, reason: given = '' }: Run): string {
  const reason = given.replace(/\.$/, '');
  const sentence = reason === '' ? '' : ` ${reason}.`;
  switch (state) {
    case 'running':
      return 'the program is running.';
    case 'ended':
      return 'the program has ended, and its changes are being prepared.';
    case 'waiting':
      return 'its changes wait for approval.';
    case 'applied':
      return 'its changes were applied.';
    case 'undone':
      return 'its changes were applied, and later undone.';
    case 'denied':
      return `its changes were denied${reason === '' ? '' : `: ${reason}`}. The draft is kept.`;
    case 'sent-back':
      return `somebody asked for changes, and the program has not run again. Run it again with: countersign run --again ${id}`;
    case 'conflict':
      return `in conflict. Nothing was applied.${sentence} The draft is kept.`;
    case 'unchanged':
      return reason === '' ? 'it changed nothing.' : `nothing was applied.${sentence}`;
    case 'discarded':
      return 'it was discarded.';
    case 'failed':
      return `its changes could not be applied.${sentence} The draft is kept.`;
  }
}

/** Output of commands after a change, and texts for empty lists. */
export const results = {
  nothingChanged: 'Nothing was changed.',
  wrote: (file: string): string => `Wrote ${file}.`,
  confirm: (what: string, word: string): string => `${what} Type "${word}" to continue: `,

  // Worlds
  noWorlds: thenRun('There are no worlds yet. Create one with:', 'countersign worlds add NAME'),
  worldCreated: (id: string): string =>
    thenRun(`Created the world "${id}". Add an agent with:`, `countersign agents add NAME -w ${id} …`),
  worldChanged: (id: string): string => `Updated the world "${id}".`,
  worldRemoval: (name: string): string => `This deletes the world "${name}" and all its chats.`,
  worldRemoved: (id: string): string => `Deleted the world "${id}". Its audit log is kept.`,
  worldImported: (id: string): string => `Created the world "${id}".`,
  ruleProposed: (rule: string): string => `proposed, not in effect: ${rule}`,
  acceptProposed: (id: string): string => thenRun('To accept proposed rules, run:', `countersign policy edit -w ${id}`),
  readingImport: (length: number): string => `… ${length} characters`,

  // The MCP gateway
  gatewayUnknownTool: (tool: string, closest: string | undefined): string =>
    `there is currently no tool named "${tool}" in this world.${closest === undefined ? '' : ` Did you mean "${closest}"?`}`,
  gatewayAdded: (agent: string, world: string, file: string): string =>
    `The agent "${agent}" can use its tools in "${world}" over MCP. Its token is in ${file}. Add this to the MCP client's configuration:`,

  // Scripted models
  modelListening: (url: string): string => `The scripted model is listening on ${url}\nSet these variables to use it:`,
  modelStop: 'Press Ctrl-C to stop.',
  modelTurn: (turn: number): string => `turn ${turn}`,
  modelReply: (index: number): string => `replies[${index}]`,
  modelNoResponse: 'no response',

  // Agents
  noAgents: (world: string): string =>
    thenRun(
      `"${world}" has no agents yet. Add one with:`,
      `countersign agents add NAME -w ${world} --provider P --model M`,
    ),
  agentAdded: (id: string, world: string): string => `Added the agent "${id}" to "${world}".`,
  unknownTool: (name: string, hint: string): string => `there is currently no tool named "${name}". ${hint}`.trim(),
  agentChanged: (id: string): string => `Updated the agent "${id}".`,
  agentRemoval: (name: string, world: string): string => `This removes the agent "${name}" from "${world}".`,
  agentRemoved: (id: string): string => `Removed the agent "${id}".`,

  // Chats
  noChats: (world: string): string =>
    thenRun(`"${world}" has no chats yet. Start one with:`, `countersign chat -w ${world}`),
  needsServer: (status: string): string => `${status}, needs a server`,
  chatsNeedServer: thenRun('Chats that need a server are not running. Continue them with:', 'countersign serve'),
  chatCreated: (id: string): string => `Created the chat ${id}.`,
  chatChanged: (id: string, { title, filed }: { title: string; filed?: string }): string =>
    `Chat ${id}: "${title}"${filed === undefined ? '' : `, ${filed}`}.`,
  chatTold: (id: string): string => `Stored for ${id}. The agent gets it at its next step.`,
  chatStopped: (id: string): string => `Stopped ${id}.`,
  chatRemoval: (title: string): string => `This deletes the chat "${title}".`,
  chatRemoved: (id: string): string => `Deleted the chat ${id}.`,
  noHits: 'No messages found.',
  used: (used: Used): string =>
    [
      `${used.inputTokens.toLocaleString('en')} tokens in, ${used.outputTokens.toLocaleString('en')} out`,
      costText(used) || 'price unknown',
    ].join(' · '),
  turnTokens: (used: Used): string =>
    [` · ${used.inputTokens} tokens in, ${used.outputTokens} out`, costText(used)].filter(Boolean).join(' · '),
  noCost: 'No tokens were counted in this chat.',
  all: 'all',
  waitingFor: (label: string): string => `waiting for a decision: ${label}`,

  // Tools and MCP servers
  noTools: (world: string): string => `"${world}" has no tools.`,
  toolRuns: (isClient: boolean): string => (isClient ? 'in a client' : 'on the server'),
  noMcpServers: (world: string): string =>
    thenRun(`"${world}" has no MCP servers. Add one with:`, `countersign mcp add NAME -w ${world} -- COMMAND …`),
  mcpAdded: (name: string, world: string): string => `Added "${name}" to "${world}"`,
  mcpChanged: (name: string, world: string): string => `Updated "${name}" in "${world}"`,
  mcpRestarted: (name: string, world: string): string => `Restarted "${name}" in "${world}"`,
  mcpRemoval: (name: string, world: string): string =>
    `This removes the MCP server "${name}" and its tools from "${world}".`,
  mcpRemoved: (name: string): string => `Removed "${name}".`,
  mcpAccepted: (difference: string): string => `  accepted ${difference}`,
  mcpOpenSecret: (transport: 'stdio' | 'http', name: string): string =>
    transport === 'stdio'
      ? `Warning: the arguments seem to contain a secret, and arguments are stored unencrypted. Write '\${${name}}' in its place and add --env ${name}: variables are encrypted.`
      : `Warning: the URL seems to contain a secret, and URLs are stored unencrypted. Write '\${${name}}' in its place and add --header ${name}: headers are encrypted. This one is then not sent as a header.`,
  mcpStarting: (name: string, runner: string | undefined, minutes: number): string =>
    runner === undefined
      ? `Starting "${name}"…`
      : `Starting "${name}"… ${runner} downloads the package first, which may take up to ${minutes} minutes.`,
  mcpRights: (trusted: boolean): string =>
    trusted
      ? 'Its read-only tools run without approval. Its other tools need approval unless a rule allows them.'
      : 'Its tools need approval unless a rule allows them.',
  mcpGive: (world: string, agents: readonly { readonly id: string; readonly tools: readonly string[] }[]): string =>
    thenRun(
      "To give these tools to an agent, run this command. The new list replaces the agent's old one.",
      ...agents.map(({ id, tools }) => `countersign agents edit ${id} -w ${world} --tools "${tools.join(',')}"`),
    ),
  mcpNext: (name: string, world: string): string =>
    thenRun(
      'See its output, or change it:',
      `countersign mcp log ${name} -w ${world}`,
      `countersign mcp edit ${name} -w ${world} …`,
    ),
  mcpRunning: (done: string, tools: number, problem: string, rights: string, names: string): string =>
    `${done}. It is running and offers ${plural(tools, 'tool')}.${problem} ${rights}${names}`,
  mcpSandbox: (sandbox: string): string => `Sandbox: ${sandbox}`,
  /** `advice` ends with a line break, or is empty. */
  mcpFailed: (done: string, reason: string, advice: string, next: string): string =>
    advice === ''
      ? `${done}, but it did not start: ${reason}\nIt stays in the list and remains enabled.\n${next}`
      : `${done}, but it did not start.\n${advice}What it printed: ${reason}\nIt stays in the list and remains enabled.\n${next}`,
  mcpNeedsSignIn: 'needs sign-in',
  mcpSignInFirst: (done: string, advice: string): string =>
    `${done}. It needs a sign-in before it can start.\n${advice}`,
  mcpSkipped: (name: string): string => `"${name}" was skipped: a server with this name already exists.`,
  mcpImported: (count: number, world: string, hosts?: readonly string[]): string =>
    count === 0
      ? `No servers were imported into "${world}".`
      : `Imported ${plural(count, 'server')} into "${world}", disabled and ${hosts === undefined ? 'without network access' : `limited to ${hosts.join(', ')}`}:`,
  mcpTurnOn: (name: string, world: string): string =>
    thenRun(
      'Review a server and enable it. If npx downloads it, add --allow-host registry.npmjs.org:',
      `countersign mcp show ${name} -w ${world}`,
      `countersign mcp edit ${name} -w ${world} --enabled`,
    ),
  mcpAsk: (label: string, usual: string | undefined, choices: readonly string[], isHidden: boolean): string => {
    const hints = [
      ...(isHidden ? ['not shown'] : []),
      ...(choices.length === 0 ? [] : [choices.join(' or ')]),
      ...(usual === undefined ? [] : [`Enter for ${usual}`]),
    ];
    return `${label}${hints.length === 0 ? '' : ` (${hints.join('; ')})`}: `;
  },
  mcpNoContext: (name: string): string => `"${name}" offers no prompts and no resources.`,
  mcpTested: (name: string): string => `Tested "${name}"`,
  mcpNoLog: (name: string): string => `"${name}" hasn't printed anything yet.`,
  mcpValuePrompt: (name: string): string => `Value of ${name} (not shown): `,
  mcpAllowNetwork: (name: string, world: string): string => `countersign mcp edit ${name} -w ${world} --network`,
  mcpAllowHosts: (name: string, world: string, hosts: readonly string[]): string =>
    `countersign mcp edit ${name} -w ${world} ${hosts.map((host) => `--allow-host ${host}`).join(' ')}`,
  mcpOrAllowAll: (command: string): string => thenRun('Or allow all public hosts:', command),
  mcpAddRule: (rule: string, world: string): string => `countersign policy add ${quote(rule)} -w ${world}`,
  mcpLogIn: (name: string, world: string): string => `countersign mcp login ${name} -w ${world}`,
  mcpSignInAt: (name: string, host: string): string =>
    `Open this link in a browser to sign in to "${name}" at ${host}. Continue only if you recognize this address. The link works for ten minutes.`,
  mcpSigningIn: 'Waiting for the sign-in. Press Ctrl-C to stop.',
  mcpSignedIn: (name: string, world: string): string => `Signed in to "${name}" in "${world}"`,
  mcpSignedOut: (name: string): string => `Signed out of "${name}".`,
  mcpSecretPrompt: 'Client secret (not shown): ',
  /** A text that ends with a rule gets a line of its own, so that the rule can be copied. */
  mcpFixWith: (text: string, command: string): string =>
    thenRun(`${text}${text.endsWith('.') ? ' ' : '\n'}Run:`, command),
  mcpNoReason: 'it gave no reason',
  mcpSilent: (done: string, seconds: number, advice: string, next: string): string =>
    `${done}, but it did not answer within ${seconds} seconds.\n${advice}It stays in the list and starts again when needed.\n${next}`,
  mcpOff: (done: string, rights: string): string => `${done}. It is disabled. ${rights}`,

  // Undo
  noRuns: 'No runs.',
  discarding: (run: string): string => `Remove the draft of ${run}?`,
  runState: (run: Run): string =>
    `${run.id}: ${runStateText(run)}${run.approvalId === undefined ? '' : ` Approve it with: countersign approvals approve ${run.approvalId}`}`,
  noBlock: (text: string): string =>
    `"${text}" names no block of lines. Expected a file and a number, such as src/main.ts:2.`,
  noUndo: 'There is nothing to undo.',
  notAppliedYet: (run: Run): string => `There is nothing to undo: ${runStateText(run)}`,
  undoEffect: (call: string): string => `Undo ${call}`,
  undoMeaning: 'Undoing applies exactly this, and is recorded with your name.',
  undoing: (call: string): string => `Undo ${call}?`,
  undone: (call: string): string => `Undone: ${call}.`,

  // Grants and policies
  noSchedules: 'There are no schedules.',
  scheduleState: (state: string, skippedAt: string | undefined): string =>
    skippedAt === undefined ? state : `${state}, skipped once: its last message was not answered yet`,
  scheduleAdded: (id: string, next: string): string => `Added ${id}. It sends next at ${next}.`,
  schedulePaused: (id: string): string => `Paused ${id}.`,
  scheduleResumed: (id: string): string => `Resumed ${id}.`,
  scheduleRemoved: (id: string): string => `Deleted ${id}.`,
  noGrants: 'There are no grants.',
  grantRevoked: (id: string): string => `Revoked ${id}.`,
  noRules: (world: string): string => `"${world}" has no rules. Every call that needs approval waits for you.`,
  ruleCount: (world: string, count: number): string => `"${world}" has ${plural(count, 'rule')} now.`,
  importedRule: (rule: string): string => `proposed by an import, not in effect: ${rule}`,
  warning: (warning: string): string => `Warning: ${warning}`,
  alsoRuns: (calls: string): string => `This also runs ${calls}.`,
  verdict: (tool: string, outcome: 'run' | 'ask' | 'refuse', reason: string): string =>
    `${tool} ${{ run: 'would run', ask: 'would need approval', refuse: 'would be refused' }[outcome]}: ${reason}`,
  verdictRule: (rule: string): string => `  rule: ${rule}`,
  verdictEffect: (sentence: string): string => `  rehearsed: ${sentence}`,
  verdictPath: (sign: string, path: string): string => `    ${sign} ${path}`,
  verdictMorePaths: (count: number): string => `    and ${plural(count, 'more path')}`,
  verdictNote: (note: string): string => `    ${note}`,
  notApplied: (rule: string, reason: string): string => `  did not apply: ${rule}: ${reason}`,
  noMatches: 'The rule matches no call in this chat.',
  moreMatches: 'There are more matches further back.',
  /** Shown below the rules in the editor and not saved. */
  policyHeader: [
    '# One rule per line: allow, ask or deny, then a tool and its arguments. deny beats ask beats allow.',
    '# Your comments are kept; these lines are not. Remove the # before a proposed rule to accept it.',
  ],

  // The machine
  noPeople: 'There are no people.',
  personAdded: (id: string): string => `Added the person "${id}".`,
  personInvited: (name: string): string => `Send this link to ${name}:`,
  invitationGives: (name: string, roles: string): string =>
    `It signs ${name} in with all their rights (${roles}). It works once, for a week.`,
  noRole: 'no role',
  invitationIsLimited: (name: string, id: string): string =>
    `It only lets ${name} read and chat, because they have a session, a passkey or a token of their own. To sign calls in another browser, ${name} chooses "Open on another device" under Account where they are signed in. If they can't sign in anymore, end their sessions (countersign sessions end --all --person ${id}) and create another invitation. The link works once, for a week.`,
  invitationIsLocal:
    "It only works on this machine. To invite people on other machines, set COUNTERSIGN_PUBLIC_URL to the server's address and create another invitation.",
  personChanged: (id: string): string => `Updated the person "${id}".`,
  personDisabled: (id: string): string => `Disabled "${id}". Their sessions and tokens have ended.`,
  personRemoval: (name: string): string => `This removes ${name} and ends their sessions and tokens.`,
  noTrustedPasskeys: 'Nobody has a trusted passkey.',
  passkeyReset: (name: string): string => `This removes all passkeys of ${name} and ends their sessions.`,
  passkeysReset: (name: string, count: number, sessions: number): string =>
    count + sessions === 0
      ? `${name} has neither passkeys nor sessions. Nothing changed.`
      : `Removed ${plural(count, 'passkey')} of ${name} and ended ${plural(sessions, 'session')}.`,
  tokensLeft: (name: string, id: string): string =>
    `${name} still has tokens of their own. While they do, an invitation only lets them read and chat. To let them add a passkey, revoke the tokens first: countersign tokens list --person ${id}`,
  afterReset: (hasTrusted: boolean): string =>
    hasTrusted
      ? 'A new passkey must be confirmed with a trusted one: by the person, or by an admin.'
      : 'Nobody has a trusted passkey now, so the next one that anybody registers is trusted. Start the server and register yours before you let agents work.',
  personRemoved: (id: string): string => `Removed the person "${id}". Their signatures stay in the audit log.`,
  noDelegations: 'There are no delegations.',
  delegated: (name: string, until: string): string => `${name} can sign calls for you until ${until}.`,
  delegationEnded: (by: string, to: string): string => `${to} can no longer sign calls for ${by}.`,
  everything: 'all',
  noGroups: 'There are no groups.',
  groupSaved: ({ name, people, oidcGroup, oidcMembers = [] }: Group): string => {
    const ids = [...people, ...oidcMembers].join(', ');
    const saved = ids === '' ? `Saved the group "${name}". It is empty.` : `Saved the group "${name}": ${ids}.`;
    return oidcGroup === undefined
      ? saved
      : `${saved} Members of the OIDC group "${oidcGroup}" join it when they sign in.`;
  },
  groupRemoval: (name: string): string =>
    `This removes the group "${name}". Calls under rules that name it can't be approved until you change the rules.`,
  groupRemoved: (name: string): string => `Removed the group "${name}".`,
  stuckRule: (world: string, rule: string, why: string): string =>
    `Nobody can satisfy a rule in ${world}: "${rule}". Reason: ${why}.`,
  noSessions: 'No browser is signed in.',
  sessionsEnded: (count: number): string => (count === 1 ? 'Ended 1 session.' : `Ended ${count} sessions.`),
  noTokens: 'There are no tokens.',
  neverUsed: 'never',
  tokenShownOnce: 'Save the token now. It is not shown again.',
  tokenRevoked: (name: string): string => `Revoked the token "${name}".`,
  noWebhooks: 'There are no webhooks.',
  noDeliveries: 'There are no deliveries.',
  allWorlds: 'all',
  webhookPaused: 'paused',
  webhookActive: 'active',
  webhookUrlPrompt: 'URL: ',
  webhookAdded: (id: string): string => `Added the webhook "${id}". Its secret, which is not shown again:`,
  webhookSaved: (id: string): string => `Saved the webhook "${id}".`,
  webhookRotated: 'For 24 hours, messages are signed with the old secret, too. The new one, which is not shown again:',
  webhookRemoval: (id: string, origin: string): string =>
    `This removes the webhook "${id}" to ${origin}, and what waits to be sent.`,
  webhookRemoved: (id: string): string => `Removed the webhook "${id}".`,
  webhookReplayed: (count: number): string =>
    count === 0 ? 'There is nothing to send again.' : `Sending ${count} again.`,
  noProviders: 'There are no providers.',
  providerAdded: (id: string): string => `Added the provider "${id}".`,
  providerUse: (id: string): string =>
    thenRun('Use it with:', `countersign agents add NAME --provider ${id} --model MODEL`),
  providerKept: (id: string): string =>
    thenRun(
      'The provider is saved anyway. To change or remove it:',
      `countersign providers edit ${id} --new-key`,
      `countersign providers edit ${id} --base-url URL`,
      `countersign providers remove ${id}`,
    ),
  keySaved: 'saved, encrypted',
  providerChanged: (id: string): string => `Updated the provider "${id}".`,
  providerRemoval: (name: string): string => `This removes the provider "${name}" and its key.`,
  providerRemoved: (id: string): string => `Removed the provider "${id}".`,
  providerTested: (name: string, detail: string, closest: string | undefined): string =>
    `${name}: ${detail}${closest === undefined ? '' : ` Did you mean "${closest}"?`}`,
  providerList: (id: string): string => thenRun('List its models with:', `countersign providers models ${id}`),
  apiKeyPrompt: (label: string, isOptional: boolean): string =>
    `API key for ${label} (hidden${isOptional ? ', Enter for none' : ''}): `,
  unencryptedKey:
    'Warning: this URL is not encrypted, so everyone on the network can read the API key and your messages. Use https:// if the server supports it.',
  noModels: 'The provider lists no models.',
  modelPrice: (input: number | undefined, output: number | undefined): string =>
    input === undefined && output === undefined ? '' : `$${input ?? '?'} in, $${output ?? '?'} out`,
  unknownModel: (model: string, provider: string, closest: string | undefined): string =>
    `Warning: "${provider}" does not list the model "${model}".${closest === undefined ? '' : ` Did you mean "${closest}"?`} It was saved anyway.`,
  doctorState: { fine: 'ok     ', missing: 'missing', warning: 'warning', broken: 'broken ' },
  doctorVerdict: (isBroken: boolean): string =>
    isBroken ? "The server can't start: something it needs is broken." : 'The server can start.',
  migrated: (rows: number, tables: number, auditRecords: number): string =>
    `Copied ${plural(rows, 'row')} in ${plural(tables, 'table')}. The audit log (${plural(auditRecords, 'record')}) is intact on both sides.`,
  migratedNext: 'Set DATABASE_URL to use PostgreSQL; without it, the server uses the file in the home folder.',
  migrating: (table: string, rows: number, of: number): string => `… ${table} ${rows} of ${of}`,
  latency: (median: number, p95: number): string => `median ${durationText(median)}, p95 ${durationText(p95)}`,
  totals: (messages: number, chats: number, pending: number): string =>
    `${plural(messages, 'message')} in ${plural(chats, 'chat')}; ${pending} waiting for a decision now.`,
  questions: (questions: number, perDay: number, perHundred: number): string =>
    `${plural(questions, 'question')} in 30 days: ${perDay} per day with calls, ${perHundred} per hundred calls.`,
  onCard: (latency: string): string => `Time on the card: ${latency}.`,
  hasty: (count: number): string => `${plural(count, 'approval')} within two seconds of the appearance of the card.`,
  saveable: (count: number): string =>
    `Suggested rules would have saved ${plural(count, 'question')}: see "countersign policy suggest".`,
  noRule: '(no rule)',
  onTheCard: 'on the card',
  turns: (states: readonly string[]): string => `Turns: ${states.join(', ')}.`,
  decided: (count: number, latency: string): string => `Decided ${plural(count, 'approval')}: ${latency}.`,
} as const;
