/**
 * Variables that a project may set for Claude Code, and so for our hook: none of them names code, a file or a server. All others are refused by name
 * (GATE1.5). A test tries each one as a way to load code into the hook.
 */
export const HARMLESS_VARIABLES: readonly string[] = [
  // What programs print. Not LANG and LC_ALL: some values crash Node, and then an interactive Claude Code asks in its own terminal.
  ...['CI', 'COLUMNS', 'FORCE_COLOR', 'LINES', 'NODE_ENV', 'NO_COLOR', 'TZ'],
  // Limits and models of Claude Code.
  ...['API_TIMEOUT_MS', 'BASH_DEFAULT_TIMEOUT_MS', 'BASH_MAX_OUTPUT_LENGTH', 'BASH_MAX_TIMEOUT_MS'],
  ...[
    'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
    'MAX_MCP_OUTPUT_TOKENS',
    'MAX_THINKING_TOKENS',
    'MCP_TIMEOUT',
    'MCP_TOOL_TIMEOUT',
  ],
  ...['ANTHROPIC_DEFAULT_HAIKU_MODEL', 'ANTHROPIC_DEFAULT_OPUS_MODEL', 'ANTHROPIC_DEFAULT_SONNET_MODEL'],
  ...['ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL', 'CLAUDE_CODE_SUBAGENT_MODEL'],
  // What Claude Code leaves out.
  ...['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', 'CLAUDE_CODE_DISABLE_TERMINAL_TITLE'],
  ...['DISABLE_AUTOUPDATER', 'DISABLE_COST_WARNINGS', 'DISABLE_ERROR_REPORTING', 'DISABLE_TELEMETRY'],
];

/** A word, a number or a zone such as `Europe/Berlin`; no path, which `TZ` would read. */
const PLAIN = /^(?![/:])(?!.*\.\.)[\x20-\x7E]{0,200}$/;

/** The first variable that may change the hook, or what an allowed command runs. */
export function refusedVariable(env: Readonly<Record<string, unknown>>): string | undefined {
  return Object.entries(env).find(([name, value]) => {
    const isValue = ['string', 'number', 'boolean'].includes(typeof value);
    return !HARMLESS_VARIABLES.includes(name) || !isValue || !PLAIN.test(String(value));
  })?.[0];
}
