import type { Finding } from '../../connection/server-access.js';
import { GATED_AGENTS } from '../gated-agents.js';
import { readManifest } from '../manifest.js';
import { checkDrilled } from './check-drilled.js';
import { findAgent, versionOf } from './find-agent.js';
import { readDrills } from './remembered.js';

/** A finding for each agent that is gated and installed. Agents without a gate are not started. */
export async function drillFindings(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const path = env['PATH'] ?? '';
  const drills = await readDrills(home);
  const findings = GATED_AGENTS.map(async (agent): Promise<Finding[]> => {
    if ((await readManifest(home, agent)) === undefined) return [];
    const bin = await findAgent(agent, undefined, path);
    const version = bin === undefined ? undefined : await versionOf(bin, { PATH: path, HOME: env['HOME'] ?? '' });
    return version === undefined ? [] : [checkDrilled(agent, version, drills[agent])];
  });
  return (await Promise.all(findings)).flat();
}
