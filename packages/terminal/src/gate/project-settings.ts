import { join } from 'node:path';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import { projectGapInClaude } from './claude-settings.js';
import { readConfig } from './config-change.js';
import type { ConfigFile, GatedAgent } from './gated-agents.js';
import { projectGapInGemini } from './gemini-settings.js';

/** The settings in a project's folder, which take precedence over the user's. */
const PROJECT_FILES: Readonly<Record<GatedAgent, readonly string[]>> = {
  claude: ['.claude/settings.json', '.claude/settings.local.json'],
  gemini: ['.gemini/settings.json'],
};

/** Why the agent isn't gated in this folder although its own settings are as we wrote them. `own`: the files of the installation. */
export async function findProjectGap(
  agent: GatedAgent,
  folder: string,
  own: readonly Pick<ConfigFile, 'path'>[],
): Promise<string | undefined> {
  const files = PROJECT_FILES[agent]
    .map((name) => join(folder, name))
    .filter((file) => own.every(({ path }) => path !== file));
  for (const file of files) {
    const text = await readConfig(file);
    const problem = text === undefined ? undefined : gapIn(agent, text, file);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function gapIn(agent: GatedAgent, text: string, file: string): string | undefined {
  try {
    return agent === 'claude' ? projectGapInClaude(text, file) : projectGapInGemini(text, file);
  } catch (error) {
    // The agent may read it all the same, for example with comments.
    if (error instanceof CommandError) return gate.projectUnread(file);
    throw error;
  }
}
