const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

/** Texts of `countersign gate` and `countersign drill`. */
export const gate = {
  hasComments: (file: string): string =>
    `${file} contains comments, which would be lost. Remove them, or move them to another file, then try again. Nothing was changed.`,
  notJson: (file: string): string => `${file} is not valid JSON. Fix it, then try again. Nothing was changed.`,
  notAnObject: (file: string): string => `${file} must contain a JSON object. Nothing was changed.`,
  wrongType: (file: string, key: string, wanted: string): string =>
    `"${key}" in ${file} must be ${wanted}. Fix it, then try again. Nothing was changed.`,
  hooksDisabled: (file: string, key: string): string =>
    `"${key}" in ${file} turns hooks off, so the gate would deny every call. Remove it, then try again.`,
  otherHook: (file: string, event: string, command: string): string =>
    `${file} has another hook for ${event} (${command}), which could allow or change calls. Remove it, then try again.`,
  hookMissing: (file: string): string => `${file} doesn't run the hook of this installation. Install the gate again.`,
  settingMissing: (file: string, key: string, value: string): string => `"${key}" in ${file} is not ${value}.`,
  projectMode: (file: string, key: string): string =>
    `"${key}" in ${file} sets a mode in which the agent doesn't ask. Remove it: the gate was not tried with it.`,
  projectEnv: (file: string, name: string): string =>
    `"env" in ${file} sets ${name}. This variable, or this value, could change the hook, or what an allowed command runs. Move it to your own settings.`,
  projectVariable: (file: string, name: string): string =>
    `${file} sets ${name}, which could change the agent's settings, the hook, or what an allowed command runs. Remove it from this file.`,
  sourceUnread: (file: string): string =>
    `${file} can't be read, or is not plain JSON or YAML, so it is unknown whether it changes the gate.`,
  refusedFlag: (flag: string): string =>
    `Claude Code was started with ${flag}, with which the gate doesn't hold. Start it without.`,
  oldClaude: (version: string): string =>
    `Claude Code ${version} runs calls when its hook fails. Update it to 2.1.295 or later.`,
  unknownClaude: (variable: string, value: string): string =>
    `The version of Claude Code, or how it was started, is unknown, because ${variable} is "${value}". Use Claude Code 2.1.295 or later, and start it without ${variable} in its environment.`,
  notInPath:
    'Claude Code is not in PATH, so its version was not checked. The hook checks it at each call, and refuses versions before 2.1.295.',
  alsoFound: (problem: string): string => `  ${problem}`,
  starts: (file: string, what: string): string => `  Starts without a call: ${what}, in ${file}`,
  startsHook: (event: string, command: string): string => `${event} hook ${command}`,
  startsMcp: (name: string, command: string): string => `MCP server ${name} (${command})`,
  startsHelper: (key: string, command: string): string => `${key} ${command}`,
  programGone: (path: string): string =>
    `The hook runs ${path}, which doesn't exist anymore, so no call can run. Install the gate again.`,
  refusesAll: (reason: string): string =>
    `  At the moment, every call is refused: ${reason}. Start the server with "countersign serve", or install the gate again.`,
  tokenExpires: (day: string): string =>
    `  Its token expires on ${day}, and every call is refused then. A call before that day extends it.`,
  tokenOf: (agent: string): string => `gate: ${agent}`,
  ownToken: 'token',
  ownTokenExpires: (day: string): string =>
    `The token in COUNTERSIGN_TOKEN expires on ${day}. Create another one with "countersign tokens add".`,
  leftPermissions: (file: string): string =>
    `Left "permissions" in ${file} as they are, because nothing says what they were before the gate. Check whether you want to keep ["*"] in "ask".`,
  otherProgram: (path: string): string =>
    `  The hook still runs with ${path}. To use the current one, install the gate again.`,
  folderChecked: (folder: string): string =>
    `Checked your own settings and those in ${folder}. Other projects can have settings of their own.`,
  policyPaths: (file: string, key: string): string =>
    `"${key}" in ${file} loads policies that could take precedence over the gate's policy. Remove it, then try again.`,
  systemPolicy: (file: string): string =>
    `Because of ${file}, Gemini CLI ignores the gate's policy, so the gate would not hold. Remove the file, or move its rules to ~/.gemini/policies.`,
  otherPolicy: (file: string): string =>
    `${file} has rules of the same tier as the gate's policy, so one could allow calls. Remove it: the gate was not tried with it.`,
  managedConflict: (file: string, key: string): string =>
    `"${key}" in ${file} contradicts the gate. Remove it, then try again. Nothing was changed.`,
  recordDamaged: (file: string): string =>
    `${file} is damaged. Install the gate again: sudo countersign gate install AGENT --managed`,
  needsRoot:
    'Only root can do this, because every user of this machine is affected. Run it with sudo. Nothing was changed.',
  onlyLinux: 'A managed gate needs Linux: we tried it nowhere else. Nothing was changed.',
  programChangeable: (path: string): string =>
    `${path} can be changed by somebody who isn't root, and every user of this machine would run it. Install Countersign and Node as root, for example with "sudo npm install -g countersign". Nothing was changed.`,
  folderUnsuitable: (path: string): string =>
    `Every user must be able to enter ${path}, and only root to change it: sudo chmod 755 ${path}. Nothing was changed.`,
  programUnreadable: (path: string): string =>
    `Not every user of this machine can read ${path}, so their calls would all be refused. Install Countersign and Node where everybody can read them, for example with "sudo npm install -g countersign". Nothing was changed.`,
  noGate: 'no hook of it holds, so it has no gate.',
  runInstead: (agent: string): string =>
    `To keep its changes in a draft until you approve them: countersign run ${agent}`,
  installOrRun: (agent: string): string =>
    `Gate its calls with "countersign gate install ${agent}", or keep its changes in a draft with "countersign run ${agent}".`,
  forEveryUser: (name: string): string => `${name}, for every user of this machine`,
  askInstallManaged: (name: string): string =>
    `Gate ${name} for every user of this machine with these changes? Each call is refused until its user has run "countersign gate install".`,
  askUninstallManaged: (name: string): string =>
    `Remove the gate from ${name} for every user of this machine? Calls will no longer need approval, except for users with a gate of their own.`,
  installedManaged: (name: string): string =>
    `${name} is gated for every user of this machine. Restart sessions that are already running.`,
  managedNext: (agent: string): string =>
    `Each user now runs "countersign gate install ${agent}" in a project. Check the gate with "sudo countersign drill ${agent} --managed".`,
  managedHome: (home: string): string =>
    `An administrator gates this agent, and the hook reads only ${home}. Run this command without --home and COUNTERSIGN_HOME. Nothing was changed.`,
  uninstallFirst: (agent: string): string =>
    `An administrator gates this agent now. Remove your own gate first: countersign gate uninstall ${agent}`,
  cannotRead: (file: string, reason: string): string => `Could not read ${file}: ${reason}. Nothing was changed.`,
  cannotWrite: (file: string, reason: string): string =>
    `Could not write ${file}: ${reason}. Check its permissions, then try again. Nothing was changed.`,
  policyChanged: (file: string): string => `${file} is missing or was changed. Install the gate again.`,
  codexRefused:
    'Codex runs a call when its hook fails, and no mode of Codex 0.166 prevents that, so Countersign does not gate it by hooks. ' +
    'docs/guide/gate.md lists what we tried.',
  opencodeOverAcp:
    'opencode has no hook that Countersign gates. Add it to a world over ACP: countersign agents add Open -w WORLD --command "opencode acp"',
  geminiPolicyHeader: '# Written by Countersign. Remove it with: countersign gate uninstall gemini',
  geminiMcpDenied:
    'Countersign does not gate MCP tools of Gemini CLI. Attach the MCP server to a world of Countersign instead.',
  geminiDenied: 'Countersign did not approve this call.',
  needsServer: 'No server is running. Start "countersign serve", keep it running, then try again. Nothing was changed.',
  notInstalled: 'The gate is not installed.',
  askInstall: (name: string, world: string): string =>
    `Gate ${name} with these changes? Each of its calls will need approval in the world ${world}, unless a rule allows it.`,
  askUninstall: (name: string): string => `Remove the gate from ${name}? Its calls will no longer need approval here.`,
  installed: (name: string, world: string): string =>
    `${name} is gated: its calls need approval in the world ${world}. Restart sessions that are already running.`,
  drillNext: (agent: string): string =>
    `Run "countersign drill ${agent}" to check that the gate holds for the installed version.`,
  uninstalled: (name: string): string => `${name} is not gated anymore. Restart sessions that are already running.`,
  tokenKept: 'A token of the gate could not be revoked. Find it with "countersign tokens", and revoke it there.',
  agentKept: (agent: string, world: string): string =>
    `The agent "${agent}" was added to the world ${world} and could not be removed. Run "countersign agents remove ${agent} -w ${world}".`,
  worldKept: (world: string): string =>
    `The world ${world} was added and could not be removed. Run "countersign worlds remove ${world}".`,
  installedElsewhere: (path: string, here: readonly string[]): string =>
    `The gate was installed in ${path}, but with the current HOME, the agent's settings are in ${here.join(' and ')}. Run this command with the HOME that you installed it with. Nothing was changed.`,
  nothingInstalled: (name: string): string => `${name} was not gated. Nothing was changed.`,
  status: (name: string, problem: string | undefined): string => `${name}: ${problem ?? 'gated'}`,
  waiting: (page: string): string => `Countersign decides about this call. If it waits for approval: ${page}`,
  changed: (
    { hooks, permissions, others }: { hooks: number; permissions: number; others: number },
    path: string,
  ): string => {
    const counts = [
      ...(hooks === 0 ? [] : [count(hooks, 'hook')]),
      ...(permissions === 0 ? [] : [count(permissions, 'permission setting')]),
      ...(others === 0 ? [] : [count(others, 'other setting')]),
    ];
    return `${counts.length === 0 ? 'Changes' : counts.join(' and ')} in ${path}`;
  },
  seeDiff: 'Run this again with --verbose to see every line.',
  unchanged: (path: string): string => `No changes to ${path}.`,
  secretFile: (path: string): string => `${path} (written by Countersign; contains a secret, so it is not shown)`,
  placed: (folder: string, world: string, isNew: boolean): string =>
    `Calls in ${folder} go to ${isNew ? 'a new world' : 'the world'}, "${world}".`,
  placedElsewhere: (world: string): string =>
    `Calls in all other folders go to the world "${world}", in which no effects are predicted.`,
  refusedElsewhere: 'Calls in other folders are refused until you run "countersign gate here" there.',
  otherFolders: 'Other folders',
  noFolder: (folder: string): string => `There is no folder ${folder}. Nothing was changed.`,
  notGateable: (name: string): string => `There is no agent "${name}" that can be gated here.`,
  installFirst: 'No agent is gated yet. Run "countersign gate install claude" or "countersign gate install gemini".',
  installAgain: (name: string, agent: string): string =>
    `The gate of ${name} was installed by an earlier version, or for another server. Run "countersign gate install ${agent}" here instead.`,
  askHere: (names: string, world: string): string =>
    `Send the calls of ${names} in this folder to the world ${world}? Each needs approval there, unless a rule allows it.`,
  addedHere: (names: string, world: string): string => `Calls of ${names} in this folder need approval in ${world}.`,
  folderDropped: (folder: string, why: string): string =>
    `Calls in ${folder} are refused now: ${why} Run "countersign gate here" there.`,
  readingOffer: (world: string): string =>
    `In our scripted session of 20 calls, 7 need approval instead of 20 with these rules in ${world}:`,
  readingLeftOut: (rules: readonly string[], because: string): string =>
    `${rules.map((rule) => rule.replace(/^allow /, '')).join(', ')}: left out, because "${because}" may let a program outside the sandbox write what they run.`,
  readingAsk: 'Let it read in this folder without approval? That includes files with secrets there.',
  readingYes: 'Add these rules',
  readingNo: 'Not now',
  readingLater: 'Not added. To add them, run "countersign gate here --reading" in this folder.',
  readingAdded: (rules: number, world: string): string => `Added ${count(rules, 'rule')} to ${world}.`,
};

export const drill = {
  notFound: (what: string, npm: string): string =>
    `${what} is not installed. Install it with "npm install -g ${npm}", or name the program with --bin.`,
  noVersion: (bin: string): string => `${bin} --version prints no version. Name another program with --bin.`,
  start: (agent: string, version: string): string =>
    `Drilling ${agent} ${version}. Each row takes a few seconds, all of them several minutes. It uses neither your account nor your files.`,
  managedNeedsRoot:
    'A managed gate is drilled as root on Linux, in a mount namespace: run it with sudo. It changes nothing on this machine.',
  noManagedDrill: (agent: string): string => `There is no managed gate for ${agent}. Use "countersign run ${agent}".`,
  noNamespace: (reason: string): string => `Could not start in a mount namespace of its own: ${reason}`,
  noneWaiting: 'No call waits for approval.',
  endedEarly: 'The agent ended before its call was pending.',
  noCall: (output: string): string => `The agent made no call. ${output}`,
  notAsked: 'The agent ended its turn without asking for approval.',
  modeAccepted: (mode: string): string => `The mode ${mode} was not refused.`,
  didNotEnd: 'The agent did not end.',
  denied: 'Denied by the drill.',
  ran: (name: string, count: number): string => `${name} ran ${count} times`,
  results: (runs: string, results: string): string => `${runs}. Results: ${results}`,
  serveFailed: (reason: string): string => `countersign serve failed: ${reason}`,
  prompt: 'Run the command.',
  callDescription: 'the command of the drill',
  held: 'held',
  open: 'OPEN',
  verdict: (agent: string, version: string, gated: boolean, open: number): string =>
    gated
      ? `gated: every row held for ${agent} ${version}. docs/guide/gate.md says what the drill doesn't try.`
      : `not gated: ${open === 0 ? 'not every row was tried' : `${open} ${open === 1 ? 'row' : 'rows'} did not hold`}.`,
  took: (rows: number, seconds: number): string =>
    `${rows} rows took ${Math.floor(seconds / 60)} min ${seconds % 60} s.`,
  doctorWhat: (agent: string): string => `gate: ${agent}`,
  neverDrilled: (version: string): string => `${version} is installed, but was never drilled`,
  otherVersion: (version: string, drilled: string): string =>
    `${version} is installed, but ${drilled} was drilled; versions may ask for permission differently`,
  didNotHold: (version: string): string => `${version} did not hold in its drill`,
  fine: (version: string): string => `${version} is gated; every row of its drill held`,
  notGated: (version: string): string => `${version} is installed and has no gate here`,
  runManagedDrill: (agent: string): string => `Run "sudo countersign drill ${agent} --managed".`,
  runDrill: (agent: string): string => `Run "countersign drill ${agent}".`,
  acpWhat: (name: string): string => `acp: ${name}`,
  acpNotInstalled: (program: string, world: string): string => `${program} is not on this PATH (world "${world}")`,
  acpAgents: 'acp agents',
  acpNotListed: (reason: string): string => `the agents of the running server could not be listed: ${reason}`,
  acpInstall:
    'Install the program for the user that runs the server, or change the command with "countersign agents edit".',
  acpFails: (world: string, reason: string): string => `does not start (world "${world}"): ${reason}`,
  acpUnknown: (world: string): string => `starts (world "${world}"), but there is no drill for its program`,
  acpUnknownAdvice: 'Only the calls that it asks for need approval.',
  acpFine: (version: string, world: string): string =>
    `${version} starts (world "${world}"); every row of its drill held`,
  acpStarts: (world: string, problem: string): string => `starts (world "${world}"); ${problem}`,
  runAcpDrill: (agent: string): string => `Run "countersign drill ${agent} --acp".`,
};

/** Said when an ACP agent is added or its program is changed. */
export const acpAgents = {
  notFound: (program: string): string =>
    `${program} is not installed here, or not on this PATH, where folders inside node_modules don't count. Install it for the user that runs the server, or correct --command.`,
  unknown: (program: string): string =>
    `Countersign doesn't know whether ${program} asks for every call. Only the calls that it asks for need approval.`,
  codex:
    'Codex asks only for commands that it wants to run outside its own sandbox. It runs others, such as those that only read, without approval.',
  drillNext: (agent: string): string =>
    `Run "countersign drill ${agent} --acp" to check that the installed version asks for every call.`,
};

/** What the hook tells the agent, and through it the model. */
export const gateHook = {
  failed: (reason: string): string => `Countersign's hook failed, so the call must not run: ${reason}`,
  notAnObject: 'the input is not a JSON object',
  badInput: 'tool_input is not an object',
  unknownEvent: (event: string): string => `unknown event ${event}`,
  missing: (key: string): string => `${key} is missing`,
  notReported: (reason: string): string => `Countersign's hook could not report the result: ${reason}`,
  told: ({ from, text }: { from: string; text: string }): string =>
    `${from}, who decides about your calls in Countersign, tells you: ${text}`,
  denied: 'Countersign did not approve this call.',
  secondYes: 'it has already been allowed to run once',
  notApproved: 'Countersign did not approve this call.',
  reservedArgument: (name: string): string => `The argument "${name}" is reserved for Countersign. Leave it out.`,
  unknownFolder: (folder: string): string =>
    `No world of Countersign gets calls from ${folder === '' ? 'an unknown folder' : folder}, or the folder was moved or replaced, so this call was refused. Run "countersign gate here" in that folder, then try again.`,
  badConfig: (agent: string): string =>
    `its configuration is incomplete. Run "countersign gate install ${agent}" again.`,
  notInstalled: (agent: string): string =>
    `the gate is not installed in this home folder. Run "countersign gate install ${agent}".`,
  unproven: (origin: string): string =>
    `the program at ${origin} did not prove that it is the Countersign server of this gate, so nothing was sent to it`,
  changed: (origin: string): string => `an answer from ${origin} was changed on the way`,
  notManaged: (agent: string): string =>
    `the administrator's gate is not installed. Run "sudo countersign gate install ${agent} --managed"`,
  plainHttp: (url: string): string =>
    `${url} is another machine without TLS. Use https, or install the gate again with --allow-http`,
  tooLong: 'the input is too long',
  answered: (status: number): string => `the server answered ${status}`,
  noJson: (status: number): string => `the server answered ${status} without JSON`,
  notACall: 'the server answered something that is not a call',
  noAnswer: 'it did not answer in time',
  longAnswer: 'the answer is too long',
  notHttp: 'the answer is not HTTP',
  brokenAnswer: 'the connection broke before the whole answer arrived',
  badToken: "the token in the gate's configuration is invalid; run gate install again",
  unreachable: (origin: string, reason: string): string => `Could not reach ${origin}: ${reason}`,
  killed: 'it was stopped before the call was approved',
  notRun: (reason: string): string => `Countersign did not run the command: ${reason}`,
  noSuchCall: 'no approved call with this id waits to be run. Each runs once',
  otherFolder: (folder: string): string => `it was approved for the folder ${folder}`,
  unknownAgent: (agent: string): string => `Unknown agent "${agent}". Expected claude, codex or gemini.`,
};

/** The names of the rows of a drill, also in its JSON. */
export const drillRows = {
  allowed: 'allowed: runs once',
  denied: 'denied',
  edited: 'edited: only the edited command runs',
  parallel: 'parallel calls: only the approved one runs',
  changed: 'changed arguments need their own approval',
  twice: 'two approvals at once: runs once',
  question: 'a question is answered: the answer reaches the model',
  plan: 'a plan is sent back: the comments reach the model',
  exits: 'hook exits 1',
  garbage: 'hook prints garbage',
  half: 'hook prints half an answer',
  timesOut: 'hook times out',
  killed: 'hook is killed',
  down: 'server down',
  impostor: "another program on the server's port says yes",
  relay: 'a relay to the server changes the answer',
  restartedDenied: 'server restarted mid-wait, then denied',
  restartedAllowed: 'server restarted mid-wait, then allowed',
  reads: 'hook exits 1, read-only command',
  careless: 'hook exits 1, shell allowed in the settings',
  bypass: 'hook exits 1, questions turned off by a flag',
  project: "the project's own hook says yes",
  projectEnv: "the project's variables replace the hook or the settings",
  projectPrefix: "the project's variables start another program instead of the hook",
  projectEnvFails: "hook exits 1, the project's variables replace the hook or the settings",
  projectFails: "hook exits 1, the project's own settings say yes",
  skillFails: "hook exits 1, a skill's own hook says yes",
  commandFails: "hook exits 1, a command's own hook says yes",
  addedFolder: 'a skill in an added folder has a hook that says yes',
  addedFolderFails: 'hook exits 1, a skill in an added folder has a hook that says yes',
  plugin: 'a plugin named by a flag has a hook that says yes',
  pluginFails: 'hook exits 1, a plugin named by a flag has a hook that says yes',
  promptTool: 'a lenient tool answers permission prompts, and a hook changes the command',
  promptToolFails: 'hook exits 1, a lenient tool answers permission prompts',
  swapped: "the project's own hook changes an approved command",
  swappedHidden: 'the same, and its settings are removed while the agent runs',
  managedProject: 'managed: a project with hooks of its own is not refused, and the approved call runs once',
  managedProjectGarbage: "managed: hook prints garbage, the project's own hook says yes",
  managedLoader: "managed: the project's variables load another library into the hook",
  managedUserLoader: "managed: the user's own settings load another library into the hook",
  managedMcp: "managed: the project's MCP server doesn't start",
  managedBare: 'managed: --bare',
  managedNoSources: 'managed: --setting-sources ""',
  managedSafeMode: 'managed: --safe-mode',
  managedUserSettings: "managed: hook prints garbage, the user's settings allow everything",
  managedUserDenied: "managed: the user's settings turn hooks off and allow everything",
  managedOtherHome: 'managed: another HOME',
  managedOtherSettings: 'managed: hook prints garbage, a flag and variables name other managed settings',
  managedPolicyFlag: 'managed: hook exits 1, --policy allows everything',
  managedAdminPolicyFlag: 'managed: hook exits 1, --admin-policy allows everything',
  managedOverwrite: "managed: a user overwrites the administrator's files",
  managedBroken: "managed: the administrator's settings are damaged",
  deferredAllowed: 'deferred, server restarted, allowed: runs once',
  deferredDenied: 'deferred, resumed too early, then denied',
  deferredEdited: 'deferred and edited: only the edited command runs',
  deferredParallel: 'deferred parallel calls: the denied one never runs',
  deferredTwice: 'deferred and allowed, resumed twice at once: runs once at most',
  deferredExits: 'deferred and allowed, then hook exits 1',
  deferredHalf: 'deferred and allowed, then hook prints half an answer',
  deferredDown: 'deferred and allowed, then server down',
  deferredBypass: 'deferred and allowed, then hook exits 1, questions turned off by a flag',
};

/** The names of the rows of a drill over ACP. */
export const acpDrillRows = {
  allowed: 'allowed: runs once',
  denied: 'denied',
  twice: 'two approvals at once: runs once',
  agentKilled: 'agent killed mid-wait, then allowed',
  serverKilled: 'server killed mid-wait, then allowed',
  stopped: 'chat stopped mid-wait, then allowed',
  reads: 'asks for a command that only reads',
  readTool: 'asks for its own tool that reads a file',
  careless: "asks although the user's settings allow everything",
  project: "asks although the project's settings allow everything",
  bypass: 'asks although a flag turns questions off',
  mode: 'a mode without questions is refused',
};
