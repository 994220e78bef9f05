import { join } from 'node:path';
import { drill as texts } from '../../words/gate.js';
import { configFiles, PROGRAM_NAMES, type ConfigFile, type GateValues } from '../gated-agents.js';
import {
  CLAUDE_ATTACKS,
  CLAUDE_MANAGED_ATTACKS,
  GEMINI_ATTACKS,
  GEMINI_MANAGED_ATTACKS,
  type Attack,
} from './attacks.js';
import { GEMINI_SETTINGS } from './gemini-settings.js';
import { ANSWER, type ProjectAttack, type Row } from './rows.js';

export const DRILL_AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type DrillAgent = (typeof DRILL_AGENTS)[number];
export const DRILL_NAMES: Readonly<Record<DrillAgent, string>> = {
  ...PROGRAM_NAMES,
  codex: 'Codex',
  opencode: 'opencode',
};
/** Agents that run a hook. */
export type HookedAgent = Exclude<DrillAgent, 'opencode'>;

/** Folders of one run, all throwaway. */
export interface Scene {
  /** The agent's home folder. */
  readonly home: string;
  /** The URL of the scripted model. */
  readonly model: string;
  /** Where an administrator's settings are, if the gate is managed. */
  readonly system?: string;
}

/** How to start an agent without a person, an account and the network. */
export interface DrilledAgent {
  readonly name: string;
  /** The npm package that it comes in. */
  readonly package: string;
  /** Its shell tool, and the name of the argument with the command. */
  readonly tool: { name: string; argument: string };
  readonly arguments: readonly string[];
  /** The flag with which people turn its questions off. */
  readonly bypass: readonly string[];
  /** How to start it so that its model can ask people something, and what it then calls. */
  readonly asking?: { arguments: readonly string[]; input?: string } & Partial<
    Record<NonNullable<Row['asks']>, { name: string; arguments: Readonly<Record<string, unknown>> }>
  >;
  /** How to start and resume a session whose calls are deferred. */
  readonly deferring?: {
    readonly env: Readonly<Record<string, string>>;
    readonly start: (session: string) => readonly string[];
    readonly resume: (session: string) => readonly string[];
  };
  readonly attacks?: Readonly<Partial<Record<ProjectAttack, Attack>>>;
  /** Further ones, which only a managed gate must hold against. */
  readonly managedAttacks?: Readonly<Partial<Record<ProjectAttack, Attack>>>;
  readonly env: (scene: Scene) => Readonly<Record<string, string>>;
  /** Its configuration files with the gate, by path. `careless`: a user allowed the shell tool in general. */
  readonly files: (scene: Scene, values: GateValues, careless: boolean) => Readonly<Record<string, string>>;
}

export const codexConfig = (model: string): string =>
  `model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\n` +
  `base_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`;

const QUESTION = {
  question: 'Which animal?',
  header: 'Animal',
  options: [ANSWER, 'Wombat'].map((label) => ({ label, description: label })),
};

export const DRILLED: Readonly<Record<HookedAgent, DrilledAgent>> = {
  claude: {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    tool: { name: 'Bash', argument: 'command' },
    arguments: ['-p', texts.prompt],
    bypass: ['--dangerously-skip-permissions'],
    asking: {
      // Only a program that could answer makes it offer these tools without a terminal.
      arguments: [
        ...['-p', '--verbose', '--permission-mode', 'plan', '--permission-prompt-tool', 'stdio'],
        ...['--input-format', 'stream-json', '--output-format', 'stream-json'],
      ],
      input: `${JSON.stringify({ type: 'user', message: { role: 'user', content: texts.prompt } })}\n`,
      question: {
        name: 'AskUserQuestion',
        arguments: { questions: [{ ...QUESTION, multiSelect: false }] },
      },
      plan: { name: 'ExitPlanMode', arguments: { plan: texts.prompt } },
    },
    deferring: {
      env: { COUNTERSIGN_DEFER: '1' },
      start: (session) => ['--session-id', session, '-p', texts.prompt],
      resume: (session) => ['-p', '--resume', session],
    },
    attacks: CLAUDE_ATTACKS,
    managedAttacks: CLAUDE_MANAGED_ATTACKS,
    env: ({ home, model }) => ({
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    }),
    files: (scene, values, careless) =>
      gated('claude', scene, values, careless ? { permissions: { allow: ['Bash', 'Bash(*)'] } } : {}),
  },
  codex: {
    name: 'Codex',
    package: '@openai/codex',
    tool: { name: 'exec_command', argument: 'cmd' },
    arguments: [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-hook-trust',
      '-s',
      'danger-full-access',
      texts.prompt,
    ],
    bypass: [],
    env: ({ home }) => ({ CODEX_HOME: join(home, '.codex'), OPENAI_API_KEY: 'scripted' }),
    // Codex has no configuration that holds, so this is the closest one: a hook before each call.
    files: ({ home, model }, { command, waitSeconds }) => ({
      [join(home, '.codex', 'config.toml')]: codexConfig(model),
      [join(home, '.codex', 'hooks.json')]: JSON.stringify({
        hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command, timeout: waitSeconds }] }] },
      }),
    }),
  },
  gemini: {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    tool: { name: 'run_shell_command', argument: 'command' },
    arguments: ['--model', 'gemini-2.5-pro', '-p', texts.prompt],
    bypass: ['--yolo'],
    attacks: GEMINI_ATTACKS,
    managedAttacks: GEMINI_MANAGED_ATTACKS,
    env: ({ model }) => ({
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: 'scripted',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    files: (scene, values, careless) =>
      gated('gemini', scene, values, {
        ...GEMINI_SETTINGS,
        ...(careless ? { tools: { allowed: ['run_shell_command'] } } : {}),
      }),
  },
};

/** The files that `gate install` would write, on top of the user's settings. */
function gated(
  agent: 'claude' | 'gemini',
  { home, system }: Scene,
  values: GateValues,
  settings: object,
): Readonly<Record<string, string>> {
  const mine = configFiles(agent, { env: {}, userHome: home });
  const add = (files: readonly ConfigFile[], text: string | undefined): Readonly<Record<string, string>> =>
    Object.fromEntries(files.map((file) => [file.path, file.add(text, values)]));
  if (system === undefined) return add(mine, JSON.stringify(settings));
  const [own] = mine.slice(-1);
  return {
    ...(own === undefined ? {} : { [own.path]: JSON.stringify(settings) }),
    ...add(configFiles(agent, { env: {}, userHome: home, system }), undefined),
  };
}
