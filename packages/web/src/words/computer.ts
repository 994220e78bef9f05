import { commonWords } from './common.js';

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

/** Coding agents on the computer of the server. */
export const computerWords = {
  ...commonWords,
  title: 'Agents on this computer',
  lead: 'Coding agents of the user that runs this server. With the gate, each of their calls needs approval here. With countersign run, an agent works in a draft, and you approve the result.',
  theAgents: 'the agents',
  states: {
    absent: 'Not installed',
    open: 'Not gated',
    gated: 'Gated',
    changed: 'Gate doesn’t hold',
    'run-only': 'Can’t be gated',
  },
  changes: ({
    path,
    hooks,
    permissions,
    others,
  }: {
    path: string;
    hooks: number;
    permissions: number;
    others: number;
  }) => {
    const counts = [
      ...(hooks === 0 ? [] : [count(hooks, 'hook')]),
      ...(permissions === 0 ? [] : [count(permissions, 'permission setting')]),
      ...(others === 0 ? [] : [count(others, 'other setting')]),
    ];
    return counts.length === 0 ? path : `${counts.join(' and ')} in ${path}`;
  },
  wouldChange: 'Gating it changes:',
  goTo: 'Its calls go to:',
  inFolder: (folder: string, world: string) => `${folder} → ${world}`,
  elsewhere: (world: string) => `Other folders → ${world}`,
  refusedElsewhere: 'Calls in other folders are refused.',
  gate: 'Gate…',
  gateTitle: (name: string) => `Gate ${name}`,
  addFolder: 'Add a folder…',
  addFolderTitle: (name: string) => `Add a folder for ${name}`,
  folder: 'Folder of the project',
  folderHint: 'An absolute path. Its world is created if it has none, so that effects can be predicted.',
  noFolder: 'Enter an absolute path, such as /home/ada/project.',
  anyFolder: 'Send calls from all other folders to a world “Other folders”, without predictions',
  otherFolders: 'Other folders',
  reading: 'Let it read in this folder without approval',
  readingHint:
    'Reading tools, tools without effect outside the agent, and exactly git status, git diff and git log. In our scripted session of 20 calls, 7 then need approval instead of 20. Files with secrets in the folder can be read, too.',
  gated: (name: string) => `${name} is gated. Restart sessions that are already running.`,
  added: 'Folder added',
  orRun: 'Or let it work in a draft:',
  run: (program: string) => `countersign run ${program}`,
};
