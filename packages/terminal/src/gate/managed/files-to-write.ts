import { CommandError } from '../../command-error.js';
import { gate } from '../../words/gate.js';
import { configFiles, type ConfigFile, type Places } from '../gated-agents.js';
import type { GatedAgent } from '../hook-agents.js';
import { readManifest } from '../manifest.js';
import { systemPolicies } from '../sources/gemini-sources.js';
import { gapsIn } from '../sources/source.js';
import { homeOfUser, managedHome, readManaged, SYSTEM } from './managed-place.js';

/** What a user's own gate writes. Nothing if an administrator gates the agent: the user's own hook would be another one then. */
export async function filesToWrite(agent: GatedAgent, places: Places, home: string): Promise<readonly ConfigFile[]> {
  if (readManaged(agent) === undefined) {
    const [ignored] = agent === 'gemini' ? gapsIn(systemPolicies()) : [];
    if (ignored !== undefined) throw new CommandError(ignored);
    return configFiles(agent, places);
  }
  if (home !== homeOfUser()) throw new CommandError(gate.managedHome(homeOfUser()));
  const written = (await readManifest(home, agent))?.files ?? [];
  if (written.length > 0) throw new CommandError(gate.uninstallFirst(agent));
  return [];
}

/** The files that gate the agent for this user, and where our record of them is. */
export function filesInForce(
  agent: GatedAgent,
  places: Places,
  home: string,
): { readonly files: readonly ConfigFile[]; readonly home: string } {
  if (readManaged(agent) === undefined) return { files: configFiles(agent, places), home };
  return { files: configFiles(agent, { ...places, system: SYSTEM }), home: managedHome() };
}
