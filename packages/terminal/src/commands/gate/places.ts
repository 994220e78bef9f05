import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { CommandContext } from '../../context.js';
import { configFiles, type ConfigFile, type GatedAgent } from '../../gate/gated-agents.js';

/** The home folder of Countersign. */
export async function homeOf({ options, servers }: CommandContext): Promise<string> {
  return options.home === undefined ? await servers.defaultHome() : resolve(options.home);
}

/** The agent's own configuration. */
export function filesOf({ console: { env } }: CommandContext, agent: GatedAgent): readonly ConfigFile[] {
  return configFiles(agent, { env, userHome: env['HOME'] ?? homedir() });
}
