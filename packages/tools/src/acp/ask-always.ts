import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@countersign/core/ports';
import { acpProgram, type AcpSettings } from '@countersign/protocol';
import { codeOf } from '@countersign/changes';

const OPENCODE_TOOLS = ['*', 'bash', 'edit', 'webfetch', 'websearch', 'task', 'external_directory'] as const;

/**
 * Without them, opencode runs calls without asking. Settings for one of opencode's agents take precedence over these permissions, so those of
 * the project aren't loaded. Other programs ignore them.
 */
export const ASK_VARIABLES = {
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_PERMISSION: JSON.stringify(Object.fromEntries(OPENCODE_TOOLS.map((name) => [name, 'ask']))),
};

/** Sent with each session. Claude Code then asks for every call, in every mode and despite allow rules, and no hook of a project answers. */
export const ASK_META = {
  claudeCode: {
    options: {
      settings: { disableAllHooks: true, permissions: { ask: ['*'], disableBypassPermissionsMode: 'disable' } },
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

/** Arguments that make the program ask for every call. A version that doesn't know them refuses to start. `folder`: to remove when it has ended. */
export async function askArguments(
  acp: AcpSettings,
  systemPolicies = SYSTEM_POLICIES,
): Promise<{ arguments: readonly string[]; folder?: string }> {
  if (acpProgram(acp) !== 'gemini') return { arguments: [] };
  const others = await policiesIn(systemPolicies);
  if (others.some((file) => file.endsWith('.toml')))
    throw new Error(
      `Gemini CLI would run calls without asking: because of the policies in ${systemPolicies}, it ignores Countersign's. Remove them, or use another agent.`,
    );
  const folder = await mkdtemp(join(tmpdir(), 'countersign-policy-'));
  const file = join(folder, 'ask.toml');
  try {
    await writeFile(file, GEMINI_POLICY);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return { arguments: ['--admin-policy', file], folder };
}

/** Throws if it is unknown whether the folder has policies. */
async function policiesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String(codeOf(error)))) return [];
    throw new Error(
      `Gemini CLI may run calls without asking: its policies in ${folder} can't be read (${errorMessage(error)}). Remove the folder, or make it readable.`,
      { cause: error },
    );
  }
}
