import type { RunAgent as RunAgentId } from '@countersign/protocol';
import { PLACEHOLDER } from '../model/vendors.js';
import { LOGIN_FILES } from './login-files.js';
import type { RunAgent } from './types.js';

/** The part of a key by which Claude Code remembers that its user accepted it. */
const KEY_END = PLACEHOLDER.slice(-20);

const claude: RunAgent = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  testedVersion: '2.1.327',
  program: 'claude',
  arguments: ['--dangerously-skip-permissions'],
  keys: [
    { name: 'ANTHROPIC_API_KEY', vendor: 'anthropic', header: 'x-api-key' },
    { name: 'ANTHROPIC_AUTH_TOKEN', vendor: 'anthropic', header: 'authorization' },
    { name: 'CLAUDE_CODE_OAUTH_TOKEN', vendor: 'anthropic', header: 'authorization' },
  ],
  passes: ['ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL', 'MAX_THINKING_TOKENS', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS'],
  login: LOGIN_FILES.claude,
  loginHosts: ['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com', 'claude.ai'],
  once: ['-p', '--print'],
  resume: (message, isOnce) => [...(isOnce ? ['-p'] : []), '--continue', message],
  // Other files there, such as its memory, would steer the next run.
  transcripts: { folder: '.claude/projects', files: /\.jsonl$/ },
  environment: ({ models }) => ({
    ...(models.anthropic === undefined ? {} : { ANTHROPIC_BASE_URL: models.anthropic }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // It refuses to skip permissions as root outside of a sandbox.
    IS_SANDBOX: '1',
  }),
  files: ({ folder }) => ({
    '.claude.json': JSON.stringify({
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      customApiKeyResponses: { approved: [KEY_END], rejected: [] },
      projects: { [folder]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }),
    '.claude/settings.json': JSON.stringify({ sandbox: { enabled: false }, skipDangerousModePermissionPrompt: true }),
  }),
};

const codex: RunAgent = {
  name: 'Codex',
  package: '@openai/codex',
  testedVersion: '0.169.0',
  program: 'codex',
  arguments: ['--dangerously-bypass-approvals-and-sandbox'],
  keys: [
    { name: 'CODEX_API_KEY', vendor: 'openai', header: 'authorization' },
    { name: 'OPENAI_API_KEY', vendor: 'openai', header: 'authorization' },
  ],
  passes: [],
  login: LOGIN_FILES.codex,
  loginHosts: ['chatgpt.com', 'auth.openai.com'],
  once: ['exec', 'e'],
  resume: (message, isOnce) => [...(isOnce ? ['exec', '--skip-git-repo-check'] : []), ...['resume', '--last', message]],
  transcripts: { folder: '.codex/sessions', files: /\.jsonl(\.zst)?$/ },
  environment: ({ models }) => (models.openai === undefined ? {} : { OPENAI_API_KEY: PLACEHOLDER }),
  files: ({ folder, models }) => ({
    '.codex/config.toml': [
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      // The vendor would fetch pages for it.
      'web_search = "disabled"',
      'check_for_update_on_startup = false',
      ...(models.openai === undefined ? [] : ['model_provider = "countersign"']),
      '[analytics]',
      'enabled = false',
      `[projects.${JSON.stringify(folder)}]`,
      'trust_level = "trusted"',
      ...(models.openai === undefined
        ? []
        : [
            '[model_providers.countersign]',
            'name = "OpenAI"',
            `base_url = ${JSON.stringify(models.openai)}`,
            'wire_api = "responses"',
            'env_key = "OPENAI_API_KEY"',
          ]),
      '',
    ].join('\n'),
  }),
};

const gemini: RunAgent = {
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  testedVersion: '0.61.0',
  program: 'gemini',
  arguments: ['--yolo'],
  keys: [{ name: 'GEMINI_API_KEY', vendor: 'gemini', header: 'x-goog-api-key' }],
  passes: ['GEMINI_MODEL'],
  login: LOGIN_FILES.gemini,
  loginHosts: ['cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'www.googleapis.com', 'accounts.google.com'],
  once: ['-p', '--prompt'],
  resume: (message, isOnce) => ['--resume', 'latest', isOnce ? '-p' : '-i', message],
  transcripts: { folder: '.gemini/tmp', files: /^[^/]+\/chats\/[^/]+\.jsonl?$/ },
  environment: ({ models }) => ({
    ...(models.gemini === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: models.gemini }),
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_SANDBOX: 'false',
  }),
  files: ({ models }) => ({
    '.gemini/settings.json': JSON.stringify({
      security: {
        auth: { selectedType: models.gemini === undefined ? 'oauth-personal' : 'gemini-api-key' },
        folderTrust: { enabled: false },
      },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      tools: { sandbox: false },
    }),
  }),
};

const opencode: RunAgent = {
  name: 'opencode',
  package: 'opencode-ai',
  testedVersion: '1.18.33',
  program: 'opencode',
  arguments: [],
  keys: [
    { name: 'ANTHROPIC_API_KEY', vendor: 'anthropic', header: 'x-api-key' },
    { name: 'OPENAI_API_KEY', vendor: 'openai', header: 'authorization' },
    { name: 'GEMINI_API_KEY', vendor: 'gemini', header: 'x-goog-api-key' },
  ],
  passes: [],
  login: LOGIN_FILES.opencode,
  loginHosts: ['api.anthropic.com', 'console.anthropic.com', 'chatgpt.com', 'auth.openai.com', 'api.githubcopilot.com'],
  once: ['run'],
  resume: (message, isOnce) => (isOnce ? ['run', '--continue', message] : ['--continue', '--prompt', message]),
  transcripts: { folder: '.local/share/opencode', files: /^(storage\/.*\.json|opencode\.db(-wal)?)$/ },
  environment: ({ models }) => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      permission: { '*': 'allow', bash: { '*': 'allow' }, external_directory: 'allow' },
      provider: {
        ...provider('anthropic', models.anthropic, '/v1'),
        ...provider('openai', models.openai, ''),
        ...provider('google', models.gemini, '/v1beta'),
      },
    }),
  }),
  files: () => ({}),
};

function provider(name: string, url: string | undefined, path: string): Readonly<Record<string, unknown>> {
  return url === undefined ? {} : { [name]: { options: { baseURL: `${url}${path}`, apiKey: PLACEHOLDER } } };
}

/** The agents that `countersign run` knows by name. */
export const AGENTS: Readonly<Record<RunAgentId, RunAgent>> = { claude, codex, gemini, opencode };
