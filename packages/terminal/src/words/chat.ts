/** Texts for `countersign chat` and for the commands that follow a chat. */
export const chatWords = {
  you: 'you',
  unfinished: '· This chat was left unfinished.',
  hint: '· /help lists the commands. Ctrl-C stops the agents, Ctrl-D quits.',
  demo: '· Try: Please tidy the notes folder.\n· For a real model, run countersign in a project folder.',
  stopped: '· Stopped',
  interruptAgain: '· Press Ctrl-C again to quit, or type /quit.',
  unknownSlash: (word: string, near: string | undefined): string =>
    `Unknown command ${word}.${near === undefined ? '' : ` Did you mean ${near}?`} /help lists them.`,
  slashElsewhere: (word: string): string => `${word} works only in a chat. Run countersign chat or countersign tui.`,
  fixHint: ' · Tab fixes it',
  continued: ' (continued)',
  thinkingNow: (agent: string): string => `  · ${agent} is thinking…`,
  thoughts: (words: number): string => `  · Thinking, ${words} ${words === 1 ? 'word' : 'words'}`,
  nothingToBranch: 'There is no such message in this chat to start a branch from.',
  branched: (title: string): string => `Started the branch "${title}".`,
  nothingToExport: 'There is no chat to export yet.',
  noThoughts: 'The models in this chat have not returned any thinking yet.',
  toolOutput: (tool: string): string => `  ${tool} output`,
  held: (why: string): string => `  · On hold. ${why}`,
  reconnecting: '· Lost the connection to the server. Waiting for it to come back… Ctrl-C quits.',
  reconnected: '· Reconnected',
  notSent: '· Not sent yet. Your message will be sent when the server responds.',
  sent: '· Your message was sent.',
  leaveUnsent: '· Your message has not been sent and would be lost. Repeat that to quit anyway.',
  lost: (text: string): string => `· The server did not confirm this message: ${text}`,
  askedAgain: '  · You will be asked again. Nothing ran.',
  pasteIgnored: "  Pasted text can't approve or deny. Type your answer.",

  // Steps of a call
  waiting: (call: string): string => `waiting for you: ${call}`,
  waitingForOthers: (call: string): string => `waiting for others: ${call}`,
  running: (call: string): string => `running: ${call}`,
  done: (took: string): string => `done${took}`,
  stoppedCall: 'stopped, outcome unknown',
  notReported: 'allowed, result not reported',
  notClaimed: 'approved, but not claimed; nothing ran',
  failed: (error: string): string => `failed: ${error}`,
  denied: (reason: string, call: string): string => `denied: ${reason} (${call})`,
  approved: 'approved',

  // Outcomes of a message
  noAnswer: 'No agent answered. Check that one is active: countersign agents list',
  stoppedMessage: 'Stopped.',
  timedOut: 'Timed out before the agents had finished.',
  timedOutWaiting: (count: number): string =>
    `Timed out: ${count} ${count === 1 ? 'call is' : 'calls are'} waiting for approval (countersign approvals list).`,
  unattended: 'nobody is here to approve it (--unattended deny)',

  // Leaving
  /** `waiting` is a number, or text such as "100+". */
  left: (waiting: string, chat: { readonly world: string; readonly id: string } | undefined): string => {
    const count = waiting === '1' ? '1 call is still waiting' : `${waiting} calls are still waiting`;
    const next = chat === undefined ? '' : `Continue with countersign chat -w ${chat.world} -c ${chat.id}. `;
    return `Nothing was decided. ${count} for you. ${next}List waiting calls with countersign approvals list.`;
  },
  cutOff:
    'Stopped before the agents had finished. A running call is reported as "interrupted, outcome unknown". ' +
    'Run countersign serve to continue the chat.',
  waitingForAgents: 'Waiting for the agents to finish. Ctrl-C stops waiting.',
  stoppedWaiting: (serverContinues: boolean): string =>
    `Stopped waiting. Your decision still applies.${serverContinues ? ' The server continues the chat.' : ''}`,
} as const;
