import { join } from 'node:path';
import { readConfig, writeChanges } from '../config-change.js';
import { toJson } from '../json-text.js';
import type { DrillAgent } from './drilled-agents.js';

/** An agent, drilled with its hooks or over ACP. */
export type DrillKey = DrillAgent | `acp:${DrillAgent}` | `managed:${DrillAgent}`;

export interface RememberedDrill {
  readonly version: string;
  readonly gated: boolean;
}

const pathIn = (home: string): string => join(home, 'gate', 'drilled.json');

/** The result of the last complete drill of each agent. */
export async function readDrills(home: string): Promise<Partial<Record<DrillKey, RememberedDrill>>> {
  try {
    return JSON.parse((await readConfig(pathIn(home))) ?? '{}') as Partial<Record<DrillKey, RememberedDrill>>;
  } catch {
    return {};
  }
}

export async function rememberDrill(home: string, key: DrillKey, drill: RememberedDrill): Promise<void> {
  const path = pathIn(home);
  const after = toJson({ ...(await readDrills(home)), [key]: drill });
  await writeChanges([{ path, before: undefined, after, isSecret: false }]);
}
