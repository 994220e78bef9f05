import type { Help } from './help.js';

const AGENT = 'claude, codex or gemini';

export const gateHelp = {
  about: 'Gate the coding agents that you already use: each of their calls needs approval here',
  agent: AGENT,
  install: {
    about: "Add the gate to an agent's own configuration; shows the changes and asks first",
    name: "name of the agent in the world (default: the program's name)",
    folder: 'the project whose calls go to the world (default: the current folder)',
    anyFolder: 'send calls from all other folders to a world "Other folders" instead of refusing them',
    reading: 'add the rules with which the agent reads in its folder without approval',
    managed: 'for every user of this machine, in the settings of an administrator; needs root, and takes no world',
    notes: [
      'Without -w, the calls go to the world of this folder, or to a new one. In other folders, they are refused until you run "countersign gate here" there.',
      'With --verbose, shows every line that changes.',
      'Each changed file gets a backup, FILE.before-countersign. Codex is refused, because it runs calls when its hook fails.',
      'Run "countersign drill AGENT" to check that the installed version of the agent holds.',
    ],
    exitCodes: '0 installed, 2 refused, and nothing was changed',
    examples: [
      'countersign gate install claude',
      'countersign gate install gemini -w harbour --any-folder --yes',
      'sudo countersign gate install claude --managed',
    ],
  } satisfies Help & { folder: string; anyFolder: string; reading: string; managed: string },
  here: {
    about: 'Send the calls of gated agents in this folder to its world, or to a new one',
    agent: 'claude or gemini (default: each one that is gated)',
    folder: 'another folder (default: the current one)',
    exitCodes: '0 added, 2 refused, and nothing was changed',
    examples: ['countersign gate here', 'countersign gate here claude --reading'],
  } satisfies Help & { agent: string; folder: string },
  uninstall: {
    about: "Remove the gate from an agent's configuration and restore what was there before",
    managed: 'the gate of every user of this machine; needs root',
    notes: ['If the configuration has changed since, only the parts of the gate are removed.'],
    examples: ['countersign gate uninstall claude'],
  } satisfies Help & { managed: string },
  status: {
    about: 'Show which agents are gated, and whether their configuration still holds',
    folder: 'also check the settings of the project in this folder (default: the current folder)',
    exitCodes: '0 every installed gate is intact, 1 one is not',
    examples: ['countersign gate status', 'countersign gate status claude --json'],
  } satisfies Help & { folder: string },
  hook: {
    about: 'Ask for approval of the call on standard input; agents run this command as their hook',
    notes: [
      'Reads the hook input of the agent (JSON) and answers in its format. Any error means no, with exit code 2.',
      'With COUNTERSIGN_DEFER=1, "claude -p" ends instead of waiting. Resume it with "claude -p --resume ID" after the decision.',
    ],
    exitCodes: '0 answered, 2 the call must not run',
    examples: ['countersign gate hook --agent claude'],
  } satisfies Help,
};

export const gateExecHelp = {
  about: 'Run an approved command of Gemini CLI, once, in the folder that it was approved for',
  id: 'id of the call',
  notes: [
    'Gemini CLI runs this in place of each approved shell command, so that nothing can change the command after the approval.',
  ],
  exitCodes: 'that of the command; 126 the call was not approved, has already run, or belongs to another folder',
  examples: ['countersign gate exec 5d2c7d9e-1c0f-4a2e-9a57-0d6a3f3a0b1c'],
} satisfies Help & { id: string };

export const drillRunHelp = {
  about:
    'Let an installed agent attack everything outside of its draft, in a throwaway folder against a scripted model',
  agent: 'claude, codex, gemini or opencode',
  bin: 'the program to test (default: the one in PATH)',
  only: 'report only the rows whose names contain this text; the result is then never "held"',
  notes: [
    'The agent runs four times with countersign run: its work is applied, its attacks are denied, the next run looks for what they left, and the last one starts too many processes.',
    'A row that could not be planted on this machine is "not tried", never "held".',
    'With --json: {"agent","version","rows":[{"name","outcome"}],"held"}.',
  ],
  exitCodes: '0 every row that was tried held; 1 otherwise; 2 the agent is not installed or not known',
  examples: ['countersign drill run claude', 'countersign drill run codex --bin ./node_modules/.bin/codex --json'],
} satisfies Help;

export const drillHelp = {
  about: 'Try to get a call of an installed agent past the gate, in a throwaway folder against a scripted model',
  agent: 'claude, codex, gemini or opencode',
  acp: 'drill the agent over ACP, as an agent of a world, instead of its hooks (always for opencode)',
  managed: 'drill the gate of an administrator, as root, in a mount namespace: nothing on this machine changes',
  bin: 'the program to test (default: the one in PATH)',
  only: 'run only the rows whose names contain this text; the result is then never "gated"',
  notes: [
    'Uses neither your account nor your files: the agent gets an empty home folder and a scripted model on this machine.',
    'Over ACP, claude and codex are the programs claude-agent-acp and codex-acp.',
    'With --json: {"agent","version","rows":[{"name","held"}],"gated"}.',
  ],
  exitCodes: '0 gated, every row held; 1 not gated; 2 the agent is not installed or not known',
  examples: [
    'countersign drill claude',
    'countersign drill opencode',
    'countersign drill gemini --acp --bin ./node_modules/.bin/gemini --json',
  ],
} satisfies Help;
