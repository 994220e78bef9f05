import { WORLD, type Help } from './help.js';
import { quote } from '../text/quote.js';
import { thenRun } from './then-run.js';

export const runHelp = {
  about: 'Run a program in a draft of the folder, then sign what it changed',
  program: 'the program and its arguments, after --; or claude, codex, gemini or opencode, and its arguments',
  world: WORLD,
  allowHost: 'host that the program may reach, such as registry.npmjs.org; repeatable',
  port: 'port of the program to open outside; repeatable',
  branch: 'apply commits to this branch, and leave the working tree as it is',
  allowFetch: "let requests to the model make its vendor fetch URLs and use the vendor's own tools",
  detach: "run in the background: print the run's id and don't wait",
  again:
    'run a program in the draft of this run again, because somebody asked for changes; an agent continues its session',
  notes: [
    'The program works without a question, in a draft of the folder, and sees nothing else of yours. When it has ended, you sign its changes in the web app or with countersign approvals. Until then, nothing changes outside of the draft.',
    'With --json, the standard output of the program goes to standard error.',
  ],
  exitCodes:
    "the program's own if its changes were applied or there were none, 125 if they were not applied, 127 no such program, 2 usage error",
  examples: [
    'countersign run claude',
    'countersign run claude -p "fix the tests"',
    'countersign run --again run_…',
    'countersign run --allow-host registry.npmjs.org -- npm install',
  ],
} satisfies Help;

export const runWords = {
  noProgram: thenRun('Name the program to run:', 'countersign run -- npm test', 'countersign run claude'),
  noServer: thenRun('A run needs a server on this machine. Start one, then run this again:', 'countersign serve'),
  notHere: (url: string): string =>
    `The server at ${url} is on another machine. A run needs a server of the same user on this machine.`,
  noFolder: (world: string): string => `The world "${world}" has no folder on this machine.`,
  noWorld: (folder: string, name: string): string =>
    thenRun(
      `No world has the folder ${folder}. Create one:`,
      `countersign worlds add ${wordFor(name)} --folder ${wordFor(folder)} --mode ask`,
    ),
  holdsHome: (folder: string): string =>
    `${folder} contains your home folder, which agents must not reach. Change to the folder of a project, then run this again.`,
  createWorld: (folder: string, name: string): string =>
    `No world has the folder ${folder}. Create the world "${name}" (mode ask, no rules)?`,
  noTerminal:
    'An interactive run needs the optional package @lydell/node-pty, which is not installed. Install Countersign again with optional dependencies, or run the program with a pipe: countersign run -- PROGRAM | cat',
  notJson: 'An interactive program can’t be run with --json. Use a pipe, such as < /dev/null.',
  refused: (why: string): string => `Nothing ran: ${why}.`,
  missing: (program: string): string =>
    `There is no program "${program}" that a run can see. It sees programs in system folders and those on your PATH.`,
  port: (inside: number, url: string): string => `Port ${inside} of the program: ${url}`,
  signAt: (link: string): string => `The program has ended. Sign its changes at ${link} or with countersign approvals.`,
  away: 'The server is not running, so nothing is applied and the signature waits. Start it with countersign serve.',
  leaving: (id: string): string => `The changes of ${id} still wait for a signature. countersign runs lists them.`,
  unsealed: (why: string): string => `Nothing was applied: ${why}`,
  unchanged: (reason: string): string => (reason === '' ? 'The program changed nothing.' : `${reason}.`),
  applied: 'The changes were applied.',
  denied: (reason: string): string =>
    `The changes were denied${reason === '' ? '' : `: ${reason}`}. The draft is kept for 14 days.`,
  conflict: (id: string, reason: string): string =>
    `Nothing was applied.${reason === '' ? '' : ` ${reason}.`} The draft is kept for 14 days. In a Git folder, its commits can get a branch of their own: countersign runs apply ${id} --branch NAME`,
  asked: (name: string): string => `${name} asks for these changes:`,
  comment: ({ path, line, text }: { path: string; line?: number; text: string }): string =>
    `\n${path}${line === undefined ? '' : `:${line}`}\n${text}`,
  noRequest: 'Continue.',
  continueWith: 'Continue the session of the agent with this message?',
  again: (id: string, isAgent: boolean): string =>
    thenRun(
      'Nothing was applied, and the draft is kept. To continue in it:',
      `countersign run --again ${id}${isAgent ? '' : ' -- PROGRAM'}`,
    ),
  againNeedsProgram: (id: string): string =>
    thenRun(
      'Name the program that makes the changes. It can read what was asked in COUNTERSIGN_REQUEST:',
      `countersign run --again ${id} -- PROGRAM`,
    ),
  againKeeps: 'A run keeps its agent and its branch. Use --again without --branch and without the name of an agent.',
  discarded: 'The draft was discarded. Nothing was applied.',
  failed: (reason: string): string => `Nothing was applied${reason === '' ? '' : `: ${reason}`}.`,
  detached: (id: string, output: string): string => `${id} runs in the background. Its output: ${output}`,
} as const;

/** For a shell. */
function wordFor(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : quote(text);
}
