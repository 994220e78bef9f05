import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acpProgram, type AcpSettings } from '@countersign/protocol';

const OPENCODE_TOOLS = ['*', 'bash', 'edit', 'webfetch', 'websearch', 'task', 'external_directory'] as const;

/** Without it, opencode runs calls without asking. It overrides opencode's own settings; other programs ignore it. */
export const ASK_VARIABLES = {
  OPENCODE_PERMISSION: JSON.stringify(Object.fromEntries(OPENCODE_TOOLS.map((name) => [name, 'ask']))),
};

/** Sent with each session. Claude Code then asks for every call, in every mode and despite allow rules; other programs ignore it. */
export const ASK_META = {
  claudeCode: {
    options: {
      settings: { permissions: { ask: ['*'], disableBypassPermissionsMode: 'disable' } },
      allowDangerouslySkipPermissions: false,
    },
  },
};

/** With a pattern, Gemini CLI also asks for commands that it takes for safe. */
const GEMINI_POLICY = `[[rule]]
toolName = "run_shell_command"
argsPattern = "."
decision = "ask_user"
priority = 999

[[rule]]
toolName = "*"
decision = "ask_user"
priority = 998
`;

/** If this folder has policies, Gemini CLI ignores ours. */
const SYSTEM_POLICIES =
  process.platform === 'darwin' ? '/Library/Application Support/GeminiCli/policies' : '/etc/gemini-cli/policies';

/** Arguments that make the program ask for every call. A version that doesn't know them refuses to start. */
export async function askArguments(
  acp: AcpSettings,
  systemPolicies = SYSTEM_POLICIES,
): Promise<{ arguments: readonly string[]; remove(): Promise<void> }> {
  if (acpProgram(acp) !== 'gemini') return { arguments: [], remove: () => Promise.resolve() };
  const others = await readdir(systemPolicies).catch(() => []);
  if (others.some((file) => file.endsWith('.toml')))
    throw new Error(
      `Gemini CLI would run calls without asking: because of the policies in ${systemPolicies}, it ignores Countersign's. Remove them, or use another agent.`,
    );
  const folder = await mkdtemp(join(tmpdir(), 'countersign-policy-'));
  const file = join(folder, 'ask.toml');
  await writeFile(file, GEMINI_POLICY);
  return {
    arguments: ['--admin-policy', file],
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}
