import type { Finding } from '../../connection/server-access.js';
import { drill as texts, gate } from '../../words/gate.js';
import { GATED_AGENTS } from '../gated-agents.js';
import { managedHome } from '../managed/managed-place.js';
import { readManifest } from '../manifest.js';
import { checkDrilled } from './check-drilled.js';
import { DRILL_AGENTS } from './drilled-agents.js';
import { findAgent, versionOf } from './find-agent.js';
import { readDrills } from './remembered.js';

/** A finding for each supported agent that is installed: whether its gate was drilled in this version, or how to gate it. */
export async function drillFindings(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const path = env['PATH'] ?? '';
  const drills = await readDrills(home);
  const findings = DRILL_AGENTS.map(async (agent): Promise<Finding[]> => {
    const bin = await findAgent(agent, undefined, path);
    const version = bin === undefined ? undefined : await versionOf(bin, { PATH: path, HOME: env['HOME'] ?? '' });
    if (version === undefined) return [];
    const gated = GATED_AGENTS.find((known) => known === agent);
    const managed = gated !== undefined && (await readManifest(managedHome(), gated)) !== undefined;
    const own = gated !== undefined && (await readManifest(home, gated)) !== undefined;
    if (managed) return [checkDrilled(agent, version, drills[`managed:${gated}`], true)];
    if (own) return [checkDrilled(agent, version, drills[gated])];
    const advice = gated === undefined ? gate.runInstead(agent) : gate.installOrRun(agent);
    return [{ what: texts.doctorWhat(agent), state: 'missing', detail: texts.notGated(version), advice }];
  });
  return (await Promise.all(findings)).flat();
}
