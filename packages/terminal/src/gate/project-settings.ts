import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import { projectGapInClaude } from './claude-settings.js';
import type { ConfigFile, GatedAgent } from './gated-agents.js';
import { projectGapInGemini } from './gemini-settings.js';

/** The settings in a project's folder, which take precedence over the user's. */
const PROJECT_FILES: Readonly<Record<GatedAgent, readonly string[]>> = {
  claude: ['.claude/settings.json', '.claude/settings.local.json'],
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
  for (const file of PROJECT_FILES[agent].map((name) => join(folder, name))) {
    const problem = existsSync(file) ? gapIn(agent, file) : undefined;
    // In the user's home folder, the project's settings are the user's.
    if (problem !== undefined && !own.some(({ path }) => isSame(path, file))) return problem;
  }
  return undefined;
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
