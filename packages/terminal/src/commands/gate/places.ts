import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { CommandContext } from '../../context.js';
import { configFiles, type ConfigFile, type Places } from '../../gate/gated-agents.js';
import type { GatedAgent } from '../../gate/hook-agents.js';

/** The home folder of Countersign. */
export async function homeOf({ options, servers }: CommandContext): Promise<string> {
  return options.home === undefined ? await servers.defaultHome() : resolve(options.home);
}

/** Where the agent looks for its settings. */
export function placesOf({ console: { env } }: CommandContext): Places {
  return { env, userHome: env['HOME'] ?? homedir() };
}

/** The agent's own configuration. */
export function filesOf(context: CommandContext, agent: GatedAgent): readonly ConfigFile[] {
  return configFiles(agent, placesOf(context));
}
