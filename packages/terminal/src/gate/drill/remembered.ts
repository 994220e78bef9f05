import { join } from 'node:path';
import { readConfig, writeChanges } from '../config-change.js';
import { toJson } from '../installation.js';
import type { DrillAgent } from './drilled-agents.js';

export interface RememberedDrill {
  readonly version: string;
  readonly gated: boolean;
}

const pathIn = (home: string): string => join(home, 'gate', 'drilled.json');

/** The result of the last complete drill of each agent. */
export async function readDrills(home: string): Promise<Partial<Record<DrillAgent, RememberedDrill>>> {
  try {
    return JSON.parse((await readConfig(pathIn(home))) ?? '{}') as Partial<Record<DrillAgent, RememberedDrill>>;
  } catch {
    return {};
  }
}

export async function rememberDrill(home: string, agent: DrillAgent, drill: RememberedDrill): Promise<void> {
  const path = pathIn(home);
  const after = toJson({ ...(await readDrills(home)), [agent]: drill });
  await writeChanges([{ path, before: undefined, after, isSecret: false }]);
}
