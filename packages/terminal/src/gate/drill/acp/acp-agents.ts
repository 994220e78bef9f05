import { join } from 'node:path';
import { drill as texts } from '../../../words/gate.js';
import { codexConfig, DRILLED, type DrillAgent, type Scene } from '../drilled-agents.js';
import { GEMINI_SETTINGS } from '../gemini-settings.js';

/** How to start an agent over ACP without an account and the network. */
export interface AcpAgent {
  /** The program that speaks ACP, and its arguments. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** The npm package that it comes in. */
  readonly package: string;
  /** The call of its shell tool. `writes`: the command must change a file. */
  readonly tool: string;
  readonly call: (command: string, writes: boolean) => Readonly<Record<string, string>>;
  /** The call of its tool that reads a file, if it has one. */
  readonly readCall?: (path: string) => { readonly name: string; readonly arguments: Readonly<Record<string, string>> };
  /** The flag with which people turn its questions off. */
  readonly bypass: readonly string[];
  /** Files of a project that allow every call, by path in its folder. */
  readonly project?: Readonly<Record<string, string>>;
  readonly env: (scene: Scene) => Readonly<Record<string, string>>;
  /** Its configuration files, by path. `careless`: a user allowed everything. */
  readonly files: (scene: Scene, careless: boolean) => Readonly<Record<string, string>>;
}

const DESCRIPTION = { description: texts.callDescription };

export const ACP_AGENTS: Readonly<Record<DrillAgent, AcpAgent>> = {
  claude: {
    program: 'claude-agent-acp',
    arguments: [],
    package: '@agentclientprotocol/claude-agent-acp',
    tool: DRILLED.claude.tool.name,
    call: (command) => ({ command, ...DESCRIPTION }),
    readCall: (path) => ({ name: 'Read', arguments: { file_path: path } }),
    bypass: [],
    ...projectOf('claude'),
    env: DRILLED.claude.env,
    files: ({ home }, careless) => {
      const permissions = { allow: ['Bash', 'Bash(*)'], defaultMode: 'bypassPermissions' };
      return { [join(home, '.claude', 'settings.json')]: JSON.stringify(careless ? { permissions } : {}) };
    },
  },
  codex: {
    program: 'codex-acp',
    arguments: [],
    package: '@agentclientprotocol/codex-acp',
    tool: DRILLED.codex.tool.name,
    // It asks only for commands that its model wants to run outside its own sandbox.
    call: (cmd, writes) => ({
      cmd,
      ...(writes ? { sandbox_permissions: 'require_escalated', justification: DESCRIPTION.description } : {}),
    }),
    bypass: [],
    env: DRILLED.codex.env,
    files: ({ home, model }, careless) => {
      const allowed = careless ? 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n' : '';
      return { [join(home, '.codex', 'config.toml')]: `${allowed}${codexConfig(model)}` };
    },
  },
  gemini: {
    program: 'gemini',
    arguments: ['--acp', '--model', 'gemini-2.5-pro'],
    package: DRILLED.gemini.package,
    tool: DRILLED.gemini.tool.name,
    call: (command) => ({ command, ...DESCRIPTION }),
    readCall: (path) => ({ name: 'read_file', arguments: { file_path: path } }),
    bypass: DRILLED.gemini.bypass,
    ...projectOf('gemini'),
    env: DRILLED.gemini.env,
    files: ({ home }, careless) => {
      const allowed = careless ? { tools: { allowed: ['run_shell_command'] } } : {};
      return { [join(home, '.gemini', 'settings.json')]: JSON.stringify({ ...GEMINI_SETTINGS, ...allowed }) };
    },
  },
  opencode: {
    program: 'opencode',
    arguments: ['acp'],
    package: 'opencode-ai',
    tool: 'bash',
    call: (command) => ({ command, ...DESCRIPTION }),
    readCall: (path) => ({ name: 'read', arguments: { filePath: path } }),
    bypass: [],
    project: {
      'opencode.json': JSON.stringify({ agent: { build: { permission: { bash: 'allow' } } } }),
      '.opencode/agent/build.md': '---\nmode: primary\npermission:\n  bash: allow\n---\n',
    },
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    files: ({ home, model }, careless) => {
      const scripted = {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${model}/v1`, apiKey: 'scripted' },
        models: { scripted: { name: 'scripted', tool_call: true } },
      };
      const settings = {
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        provider: { scripted },
        ...(careless ? { permission: { '*': 'allow', bash: { '*': 'allow' } } } : {}),
      };
      return { [join(home, '.config', 'opencode', 'opencode.json')]: JSON.stringify(settings) };
    },
  },
};

function projectOf(agent: 'claude' | 'gemini'): Pick<AcpAgent, 'project'> {
  const files = DRILLED[agent].attacks?.hook?.files;
  return files === undefined ? {} : { project: files };
}
