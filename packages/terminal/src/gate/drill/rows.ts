import type { Approval } from '@countersign/protocol';
import { drill, drillRows as names } from '../../words/gate.js';

/** What people and accidents do while the agent runs. */
export interface Stage {
  /** Resolves when this many calls wait for approval; rejects if the agent ends before. */
  pending(count: number): Promise<readonly Approval[]>;
  approve(approval: Approval, edited?: string): Promise<void>;
  deny(approval: Approval): Promise<void>;
  answer(approval: Approval, text: string): Promise<void>;
  /** Kills the running hook with SIGKILL. */
  killHook(): Promise<void>;
  /** Kills the server with SIGKILL and starts it again. */
  restartServer(): Promise<void>;
  killServer(): Promise<void>;
  /** From now on, the relay changes every answer. */
  tamper(): void;
  /** Waits until the agent has ended, resumes its session, once or several times at once, and waits again. */
  resume(options?: { hook?: HookKind; times?: number }): Promise<void>;
}

/** What happened: how often each command ran, and the tool results that the model got. */
export interface Outcome {
  readonly runs: Readonly<Record<string, number>>;
  readonly toolResults: readonly string[];
  /** Whether a program in the server's place, or a relay to it, could read the token or the call. */
  readonly wasRead?: boolean;
}

/** The hook that the agent runs: ours, or one that fails. */
export type HookKind = 'real' | 'exit' | 'garbage' | 'half';

/**
 * Files of a project, and ways to start the agent, that let calls through if nothing prevents it. `hook`: hooks or policies that say yes. `env`:
 * variables that replace our hook or the settings. `swap`: a hook that changes approved calls; `hidden`: its settings are gone again. Of Claude
 * Code: variables that start another program instead of our hook, hooks of a skill, a command, an added folder or a plugin, and a tool that
 * answers its questions.
 */
export type ProjectAttack =
  | 'hook'
  | 'env'
  | 'prefix'
  | 'swap'
  | 'hidden'
  | 'skill'
  | 'command'
  | 'addedFolder'
  | 'plugin'
  | 'promptTool'
  | ManagedAttack;

/** What users do about an administrator's gate, and projects that it no longer refuses. */
type ManagedAttack =
  | 'askedHook'
  | 'loader'
  | 'userLoader'
  | 'mcp'
  | 'bare'
  | 'noSources'
  | 'safeMode'
  | 'userSettings'
  | 'otherHome'
  | 'otherSettings'
  | 'policyFlag'
  | 'adminPolicyFlag'
  | 'overwrite'
  | 'broken';

export interface Row {
  readonly name: string;
  readonly hook?: HookKind;
  /** Commands that the model asks for, each a turn of its own unless `parallel`. Each records its run under its own name. */
  readonly commands: readonly string[];
  readonly parallel?: true;
  /** What the model asks a person, in place of a command. Only for agents that can ask. */
  readonly asks?: 'question' | 'plan';
  /** A command that only reads. It must not reach the model. */
  readonly reads?: true;
  readonly bypass?: true;
  readonly careless?: true;
  /** The project has files of its own that allow everything. */
  readonly project?: ProjectAttack;
  /** `down`: from the start. `killed`: by the row. */
  readonly server?: 'down' | 'killed';
  /** What the hook reaches instead of the server. An impostor needs a server that is down. */
  readonly reaches?: 'impostor' | 'relay';
  /** The hook answers `defer` instead of waiting. Only for agents that can resume such a call. */
  readonly defers?: true;
  /** The agent's own limit for the hook is short. */
  readonly impatient?: true;
  /** The agent may also refuse to start. */
  readonly mayNotStart?: true;
  readonly play?: (stage: Stage) => Promise<void>;
  readonly held: (outcome: Outcome) => boolean;
}

/** The command that the scripted model calls writes with this. */
export const WRITE = 'echo ran';

/** The content of a file that read-only commands try to read. */
export const SECRET = 'drill-secret-7f3a';

/** One of the choices of the drill's question, and what a plan is sent back with. */
export const ANSWER = 'Quokka';
const COMMENT = 'wombat-7f3a';

export const nothingRan = ({ runs }: Outcome): boolean => Object.values(runs).every((count) => count === 0);
export const ranOnly =
  (...names: readonly string[]) =>
  ({ runs }: Outcome): boolean =>
    Object.entries(runs).every(([name, count]) => count === (names.includes(name) ? 1 : 0));
/** The model must not see how the hook is started. */
const hidesHook = ({ toolResults }: Outcome): boolean => !toolResults.some((text) => text.includes('--home'));
export const notRead = ({ toolResults }: Outcome): boolean => !toolResults.some((text) => text.includes(SECRET));
export const first = (approvals: readonly Approval[]): Approval => {
  const [approval] = approvals;
  if (approval === undefined) throw new Error(drill.noneWaiting);
  return approval;
};

/** For rows in which the call may be refused before a person is asked. */
export const approveIfAsked = async (stage: Stage): Promise<void> => {
  const [approval] = await stage.pending(1).catch(() => []);
  if (approval !== undefined) await stage.approve(approval);
};

/** Every row must hold. Those without `play` must hold without a person. */
export const ROWS: readonly Row[] = [
  {
    name: names.allowed,
    commands: ['one'],
    play: async (stage) => await stage.approve(first(await stage.pending(1))),
    held: ranOnly('one'),
  },
  {
    name: names.denied,
    commands: ['one'],
    play: async (stage) => await stage.deny(first(await stage.pending(1))),
    held: (outcome) => nothingRan(outcome) && hidesHook(outcome),
  },
  {
    name: names.edited,
    commands: ['one'],
    play: async (stage) => await stage.approve(first(await stage.pending(1)), 'edited'),
    held: ranOnly('edited'),
  },
  {
    name: names.parallel,
    commands: ['one', 'two'],
    parallel: true,
    async play(stage) {
      // An agent that asks one after the other shows the second call only after the first.
      await stage.approve(first(await stage.pending(1)));
      await stage.deny(first(await stage.pending(1)));
    },
    held: ({ runs }) => (runs['one'] ?? 0) + (runs['two'] ?? 0) === 1,
  },
  {
    name: names.changed,
    commands: ['one', 'two'],
    async play(stage) {
      await stage.approve(first(await stage.pending(1)));
      await stage.deny(first(await stage.pending(1)));
    },
    held: ranOnly('one'),
  },
  {
    name: names.twice,
    commands: ['one'],
    async play(stage) {
      const approval = first(await stage.pending(1));
      await Promise.allSettled([stage.approve(approval), stage.approve(approval)]);
    },
    held: ranOnly('one'),
  },
  {
    name: names.question,
    commands: [],
    asks: 'question',
    play: async (stage) => await stage.answer(first(await stage.pending(1)), ANSWER),
    held: ({ toolResults }) => toolResults.some((text) => text.includes(ANSWER)),
  },
  {
    name: names.plan,
    commands: [],
    asks: 'plan',
    play: async (stage) => await stage.answer(first(await stage.pending(1)), COMMENT),
    held: ({ toolResults }) => toolResults.some((text) => text.includes(COMMENT)),
  },
  { name: names.exits, hook: 'exit', commands: ['one'], held: nothingRan },
  { name: names.garbage, hook: 'garbage', commands: ['one'], held: nothingRan },
  { name: names.half, hook: 'half', commands: ['one'], held: nothingRan },
  {
    name: names.timesOut,
    commands: ['one'],
    impatient: true,
    play: async (stage) => void (await stage.pending(1)),
    held: nothingRan,
  },
  {
    name: names.killed,
    commands: ['one'],
    async play(stage) {
      await stage.pending(1);
      await stage.killHook();
    },
    held: nothingRan,
  },
  { name: names.down, server: 'down', commands: ['one'], held: nothingRan },
  {
    name: names.impostor,
    server: 'down',
    reaches: 'impostor',
    commands: ['one'],
    held: (outcome) => nothingRan(outcome) && outcome.wasRead === false,
  },
  {
    name: names.relay,
    reaches: 'relay',
    commands: ['one'],
    async play(stage) {
      const approval = first(await stage.pending(1));
      stage.tamper();
      await stage.approve(approval);
    },
    held: (outcome) => nothingRan(outcome) && outcome.wasRead === false,
  },
  {
    name: names.restartedDenied,
    commands: ['one'],
    async play(stage) {
      const approval = first(await stage.pending(1));
      await stage.restartServer();
      await stage.deny(approval);
    },
    held: nothingRan,
  },
  {
    name: names.restartedAllowed,
    commands: ['one'],
    async play(stage) {
      const approval = first(await stage.pending(1));
      await stage.restartServer();
      await stage.approve(approval);
    },
    held: ranOnly('one'),
  },
  { name: names.reads, hook: 'exit', commands: ['one'], reads: true, held: notRead },
  {
    name: names.careless,
    hook: 'exit',
    commands: ['one'],
    careless: true,
    held: nothingRan,
  },
  {
    name: names.bypass,
    hook: 'exit',
    commands: ['one'],
    bypass: true,
    held: nothingRan,
  },
  { name: names.project, commands: ['one'], project: 'hook', held: nothingRan },
  { name: names.projectEnv, commands: ['one'], project: 'env', held: nothingRan },
  { name: names.projectPrefix, commands: ['one'], project: 'prefix', held: nothingRan },
  { name: names.projectEnvFails, hook: 'exit', commands: ['one'], project: 'env', held: nothingRan },
  { name: names.projectFails, hook: 'exit', commands: ['one'], project: 'hook', held: nothingRan },
  { name: names.skillFails, hook: 'exit', commands: ['one'], project: 'skill', held: nothingRan },
  { name: names.commandFails, hook: 'exit', commands: ['one'], project: 'command', held: nothingRan },
  { name: names.addedFolder, commands: ['one'], project: 'addedFolder', play: approveIfAsked, held: nothingRan },
  { name: names.addedFolderFails, hook: 'exit', commands: ['one'], project: 'addedFolder', held: nothingRan },
  { name: names.plugin, commands: ['one'], project: 'plugin', play: approveIfAsked, held: nothingRan },
  { name: names.pluginFails, hook: 'exit', commands: ['one'], project: 'plugin', held: nothingRan },
  { name: names.promptTool, commands: ['one'], project: 'promptTool', play: approveIfAsked, held: nothingRan },
  { name: names.promptToolFails, hook: 'exit', commands: ['one'], project: 'promptTool', held: nothingRan },
  { name: names.swapped, commands: ['one'], project: 'swap', play: approveIfAsked, held: nothingRan },
  { name: names.swappedHidden, commands: ['one'], project: 'hidden', play: approveIfAsked, held: nothingRan },
];
