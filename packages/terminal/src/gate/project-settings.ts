import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import { projectGapInClaude } from './claude-settings.js';
import type { ConfigFile, GatedAgent } from './gated-agents.js';
import { projectGapInGemini } from './gemini-settings.js';

const LOCAL_SETTINGS = '.claude/settings.local.json';

/** The settings in a project's folder, which take precedence over the user's. */
const PROJECT_FILES: Readonly<Record<GatedAgent, readonly string[]>> = {
  claude: ['.claude/settings.json', LOCAL_SETTINGS],
  gemini: ['.gemini/settings.json'],
};

/**
 * Why the agent isn't gated in this folder although its own settings are as we wrote them. `own`: the files of the installation. Synchronous,
 * because the hook checks it for each call.
 */
export function findProjectGap(
  agent: GatedAgent,
  folder: string,
  own: readonly Pick<ConfigFile, 'path'>[],
): string | undefined {
  const files = PROJECT_FILES[agent].map((name) => join(folder, name));
  // Claude Code reads this one from the main checkout of the repository, also in its subfolders and worktrees.
  const shared = agent === 'claude' ? repositoriesOf(folder).map((root) => join(root, LOCAL_SETTINGS)) : [];
  for (const file of new Set([...files, ...shared])) {
    const problem = existsSync(file) ? gapIn(agent, file) : undefined;
    // In the user's home folder, the project's settings are the user's.
    if (problem !== undefined && !own.some(({ path }) => isSame(path, file))) return problem;
  }
  return undefined;
}

/** The checkout that a folder is in, and the main one if that is a worktree. */
function repositoriesOf(folder: string): readonly string[] {
  const git = join(folder, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (found === undefined) return dirname(folder) === folder ? [] : repositoriesOf(dirname(folder));
  if (found.isDirectory()) return [folder];
  const linked = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1] ?? '.git';
  const common = join(resolve(folder, linked), 'commondir');
  if (!existsSync(common)) return [folder];
  return [folder, dirname(resolve(dirname(common), readFileSync(common, 'utf8').trim()))];
}

function gapIn(agent: GatedAgent, file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return agent === 'claude' ? projectGapInClaude(text, file) : projectGapInGemini(text, file);
  } catch (error) {
    // The agent may read it all the same, for example with comments.
    if (error instanceof CommandError || (error instanceof Error && 'code' in error)) return gate.projectUnread(file);
    throw error;
  }
}

function isSame(path: string, file: string): boolean {
  return path === file || (existsSync(path) && realpathSync(path) === realpathSync(file));
}
