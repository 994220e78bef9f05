import type { Finding } from '../../connection/server-access.js';
import { drill as texts } from '../../words/gate.js';
import type { DrillAgent } from './drilled-agents.js';
import type { DrillKey, RememberedDrill } from './remembered.js';

/** What `doctor` says about an agent that is gated by its hooks. A version that was never drilled may behave differently. */
export function checkDrilled(
  agent: DrillAgent,
  version: string,
  drilled: RememberedDrill | undefined,
  isManaged = false,
): Finding {
  const what = texts.doctorWhat(agent);
  const problem = drillProblem(version, drilled);
  if (problem === undefined) return { what, state: 'fine', detail: texts.fine(version) };
  return {
    what,
    state: 'warning',
    detail: problem,
    advice: isManaged ? texts.runManagedDrill(agent) : texts.runDrill(agent),
  };
}

/** Why the last drill says nothing good about this version. */
export function drillProblem(version: string, drilled: RememberedDrill | undefined): string | undefined {
  if (drilled === undefined) return texts.neverDrilled(version);
  if (drilled.version !== version) return texts.otherVersion(version, drilled.version);
  return drilled.gated ? undefined : texts.didNotHold(version);
}

export function keyOf(
  agent: DrillAgent,
  { hooked, managed }: { hooked: boolean; managed?: true | undefined },
): DrillKey {
  if (managed === true) return `managed:${agent}`;
  return hooked ? agent : acpKey(agent);
}

export const acpKey = (agent: DrillAgent): DrillKey => `acp:${agent}`;
