import { thenRun } from './then-run.js';
/** Command-line errors: what happened, then what to do. */
export const errors = {
  noCommand: (path: string, suggestion: string, group: string): string =>
    `Unknown command "${path}". ${suggestion} Run countersign ${group}--help for a list.`,
  badUsage: (problem: string, hint: string): string => `${problem}.${hint} See --help.`,
  unexpected: (message: string): string => `Unexpected error: ${message} (--verbose prints the stack trace).`,
  cannotWriteOutput: (reason: string): string => `Could not write to standard output: ${reason}.`,

  // Finding things
  notFound: (what: string, name: string, suggestion: string): string => `There is no ${what} "${name}". ${suggestion}`,
  several: (what: string, word: string, ids: readonly string[]): string =>
    `"${word}" could be any of ${ids.length} ${what}s. Use an id: ${ids.map((id) => `"${id}"`).join(', ')}.`,
  notFoundIn: (what: string, name: string, world: string, suggestion: string): string =>
    `There is no ${what} "${name}" in "${world}". ${suggestion}`,
  noWorlds: thenRun('There are no worlds yet. Create one with:', 'countersign worlds add NAME'),
  whichWorld: (suggestion: string): string => `No world has this folder. Choose one with -w. ${suggestion}`,
  severalHere: (suggestion: string): string => `Several worlds have this folder. Choose one with -w. ${suggestion}`,
  noChats: (world: string): string => `There are no chats in "${world}" yet.`,
  seeChats: (world: string): string => `Run countersign chats list -w ${world} to see them.`,
  didYouMean: (name: string): string => `Did you mean "${name}"?`,
  noneYet: 'There are none yet.',
  available: (names: readonly string[], isAll: boolean): string =>
    `Available: ${names.join(', ')}${isAll ? '' : ', …'}.`,

  // MCP gateway
  noGateToken: (variable: string): string =>
    `The gateway needs the token of an external agent. Pass --token-file FILE or set ${variable}.`,
  gatewayNeedsWorld: 'Choose a world with -w. The token belongs to one world.',
  gatewayNoServer: thenRun('No server is running for this home folder. Start one with:', 'countersign serve'),
  gatewayNotJson: 'Parse error: expected one JSON message per line.',
  gatewayStatus: (status: number): string => `The server answered with status ${status}.`,
  gatewayLost: 'The server does not answer. Trying again until it does.',

  // Flags
  needsAgentName: 'Enter a name for the agent, or choose a template: countersign agents add --template reviewer …',
  templateNames: (template: string): string =>
    `The template "${template}" adds several agents, which have their own names. Leave out the name.`,
  notANumber: (flag: string, text: string): string => `${flag} must be a number, not "${text}".`,
  notACount: (flag: string, text: string): string => `${flag} must be a whole number of at least 1, not "${text}".`,
  notAChoice: (flag: string, text: string, suggestion: string): string => `${flag} can't be "${text}". ${suggestion}`,
  notADuration: (flag: string, text: string): string =>
    `${flag} must be a duration such as 30s, 5m or 2h, not "${text}".`,
  notAnObject: (flag: string): string => `${flag} must be a JSON object such as '{"path":"notes"}'.`,
  notAPair: (flag: string): string => `${flag} must look like NAME=VALUE.`,
  notAskedFor: (name: string): string => `The file has no placeholder "${name}".`,
  valueMissing: (label: string, name: string): string =>
    `The file needs a value for "${label}". Add: --value ${name}=VALUE`,
  notAPort: (text: string): string => `Invalid port "${text}". Use a number up to 65535.`,
  emptyFolder: '--folder must not be empty.',
  needsCommand:
    'An ACP agent needs --command, such as --command "gemini --acp", or a JSON list if a word contains spaces.',
  needsModel: 'An agent needs --provider and --model, such as --provider anthropic --model claude-sonnet-5.',
  keyInArgument:
    'Other users of this machine can read the arguments of a command. Leave out --api-key to be prompted for the key, or use --api-key-stdin or --api-key-env NAME.',
  needsApiKey: (label: string): string =>
    `${label} needs an API key. Pass it with --api-key-stdin or --api-key-env NAME; there is no terminal to prompt in.`,
  oneKeySource: 'Use only one of --api-key-stdin, --api-key-env, --new-key and --no-api-key.',
  emptyApiKey: 'No API key was entered. Nothing was saved.',
  keyNeededAgain: (detail: string): string =>
    `${detail.replace(/\.$/, '')}. Add --new-key to be prompted for it, or --no-api-key to remove it.`,
  attachWithoutMessage: '--attach needs a message, such as countersign chat --attach shot.png "What is wrong here?"',
  tooManyFiles: (most: number): string => `A message can have at most ${most} files.`,
  notATime: (flag: string, text: string): string =>
    `${flag}: "${text}" is not a time. Use one such as 2030-08-31T22:00, or 2030-08-31T22:00Z.`,
  notADate: (flag: string, text: string): string =>
    `${flag}: "${text}" is not a date. Use a day such as 2030-08-31, or a time such as 2030-08-31T12:00Z.`,
  notARole: (role: string, suggestion: string): string => `Unknown role "${role}". ${suggestion}`,
  notAWorldRole: (word: string, roles: readonly string[]): string =>
    `Invalid world role "${word}". Expected something like harbour=approver. Roles: ${roles.join(', ')}.`,
  notAScope: (scope: string, suggestion: string): string => `Unknown scope "${scope}". ${suggestion}`,
  notAnEvent: (event: string, suggestion: string): string => `Unknown event "${event}". ${suggestion}`,
  notDays: (days: string): string => `Invalid number of days "${days}". Expected 1 to 366.`,
  worldOrServer: 'Use either --world or --server.',
  sessionOrAll: 'Name one session, or use --all to end all of them.',
  needsPerson: "This token doesn't belong to a person. Say whom you mean with --person.",
  notAKind: (kind: string, suggestion: string): string => `Unknown provider kind "${kind}". ${suggestion}`,
  noModelList: (detail: string): string => `Could not list the models: ${detail}`,
  nothingToChange: 'Nothing to change. Pass at least one flag; --help lists them.',
  commandOrUrl: 'Use either a command or --server-url, not both.',
  networkOrHosts: 'Use either --network or --no-network, or --allow-host, not both.',
  noCommandOrUrl: 'Pass a command after --, or a URL with --server-url.',
  argumentsApart: (line: string): string =>
    thenRun(
      'The program and its arguments are in one quoted word. Nothing was saved. Leave out the quotes:',
      `-- ${line}`,
    ),
  noCompletion: (shell: string, suggestion: string): string => `There is no completion for "${shell}". ${suggestion}`,
  ruleScope: '--rule requires --scope always.',
  patternScope: '--pattern requires --scope session.',
  argumentsScope: '--arguments requires --scope once.',

  // Files and editors
  largerThan: (megabytes: number): string => `it is larger than ${megabytes} MB`,
  cannotRead: (file: string, reason: string): string => `Could not read the file "${file}": ${reason}.`,
  cannotWrite: (file: string, reason: string): string => `Could not write "${file}": ${reason}.`,
  fileExists: 'the file exists; choose another name',
  noEditor: 'No editor found. Set EDITOR, or use flags (--help).',
  editorFailed: (code: number | null): string =>
    `The editor ${code === null ? 'was killed' : `exited with code ${code}`}. Nothing was changed.`,
  notSaved: (file: string): string => `Not saved. Your text is in ${file}.`,
  invalidJson: (reason: string): string => `Invalid JSON (${reason}). Nothing was changed.`,
  cannotImport: (file: string | undefined, reason: string): string =>
    `Could not import ${file === undefined ? 'standard input' : `the file "${file}"`}: ${reason}`,
  notInvited: (person: string, reason: string): string =>
    `Added the person "${person}", but could not create an invitation: ${reason}`,
  importStopped: (failed: string, reason: string, added: readonly string[]): string =>
    `Could not add the server "${failed}": ${reason.replace(/\.$/, '')}. Added before the error: ${added.join(', ')}.`,

  // Servers
  relativeHome: (home: string): string =>
    `The home folder "${home}" must be an absolute path. Set it with --home or COUNTERSIGN_HOME.`,
  invalidUrl: (url: string): string => `Invalid server URL "${url}". Expected something like http://127.0.0.1:4747`,
  noAnswer: (url: string): string => `No response from ${url}. Is the server running? No data is lost.`,
  notOurs: (url: string): string =>
    `The server at ${url} is not a Countersign server. Set another URL with --url or COUNTERSIGN_URL.`,
  unproven: (url: string): string =>
    `The program at ${url} did not prove that it is the server of this token, so nothing was sent to it. Check the URL. If it is right, set COUNTERSIGN_TOKEN to a token of that server.`,
  plainHttp: (url: string): string =>
    `${url} is another machine without TLS. Use https, or allow it with --allow-http or COUNTERSIGN_ALLOW_HTTP=1.`,
  badToken: 'COUNTERSIGN_TOKEN contains invalid characters. Copy it again.',
  noToken: (url: string): string =>
    `A server is running at ${url}, but this command has no token for it. Set COUNTERSIGN_TOKEN to the token of that server.`,
  isItUp: (detail: string): string => `${detail} Is it running?`,
  setToken: (detail: string): string => `${detail} Set COUNTERSIGN_TOKEN to the token of that server.`,
  noServer: 'No server is running for this home folder. Start one with countersign serve.',
  detachNeedsServer:
    '--detach needs a running server to continue the chat. Start one with countersign serve, or omit --detach.',
  severalNeedServer:
    'Approving several calls needs a running server to run them. Start one with countersign serve. Nothing was decided.',
  batchOfOneChat: 'Name two or more waiting calls of one chat. Nothing was decided.',
  batchNeedsPasskey: 'A rule requires a passkey. Review these calls together in the web app. Nothing was decided.',
  severalOnlyOnce:
    '--scope, --rule, --pattern, --arguments and --host are for a single call. Approve several calls once, or one at a time.',
  allOrIds: 'Name the calls to approve, or use --all, but not both.',
  allNeedsTerminal:
    '--all needs a terminal, because you have to see what it would approve. Name the calls instead. Nothing was decided.',
  noneToApprove: 'There is no call to approve. Nothing was decided.',
  agentNeedsServer:
    'No server is running, so the agent that waits for this call could not get your answer. Start countersign serve, then approve the call again. Nothing was decided.',
  serverClosed: 'The server shut down.',
  worldDeleted: (world: string): string => `The world "${world}" was deleted.`,
  chatDeleted: 'The chat was deleted.',
  serverGone: 'The server stopped. Restart it, and continue with countersign chat -c last.',
  needsTerminal: 'The full-screen UI needs a terminal. Use countersign chat instead.',

  // Confirming
  cannotConfirm: (what: string): string => `${what} There is no terminal to prompt in. Pass --yes to confirm.`,
  nothingDone: 'Nothing was done.',

  // Approvals and policies
  isQuestion: thenRun('This is a question. Answer it with:', 'countersign approvals answer ID'),
  isNoQuestion: 'This is not a question. Use approvals approve or approvals deny.',
  alreadyDecided: (status: string): string => `This call is no longer waiting: it is ${status}.`,
  notifyNeedsTerminal: '--notify needs a terminal, which rings and shows the notice.',
  tlsFiles: '--tls takes two files: a certificate and its private key, in PEM format.',
  noWorldToWatch: 'There is no world to watch yet.',
  noEtag: 'The server sent no ETag with the rules. Nothing was changed.',
  notARule: 'This is not a rule. A rule starts with allow, ask or deny.',
  noSuchLine: (rule: string, suggestion: string): string => `There is no rule "${rule}" to leave out. ${suggestion}`,
  notASince: (text: string): string => `--since: expected days or hours, such as 30d or 12h, not "${text}".`,
  noSuchRule: (world: string, suggestion: string): string => `"${world}" has no such rule. ${suggestion}`,
  serverOff: (name: string, world: string): string =>
    thenRun(`"${name}" is disabled. Enable it with:`, `countersign mcp edit ${name} -w ${world} --enabled`),
  mcpClientNeeded: (host: string, redirectUrl: string): string =>
    `${host} doesn't register apps automatically. Register one there with the redirect URL ${redirectUrl}, then run this command again with --client-id ID (and --client-secret, if you got a secret).`,
  mcpNotSignedIn: (reason: string): string => (reason === '' ? 'You are not signed in.' : reason),
  mcpSignInLate: 'Nobody signed in within ten minutes. Run the command again.',
  noPairToRemove: (name: string, suggestion: string): string =>
    `There is no variable or header "${name}" to remove. ${suggestion}`,
  noTurnYet: 'No agent has taken a turn in this chat yet.',
  noMessage: thenRun('No message given. Try:', 'countersign chat -w WORLD "message"'),
  emptyMessage: 'The message is empty.',
  emptyCommand: 'The command is empty. Type one, or deny the call.',
  noDestination: 'No destination. Use --to postgres://…, --to FILE or --to home.',
  samePlace: 'Source and destination are the same. Nothing to copy.',
  variableNotSet: (name: string): string => `The environment variable ${name} is not set.`,
} as const;
