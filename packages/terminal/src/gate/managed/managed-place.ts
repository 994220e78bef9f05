import { readFileSync } from 'node:fs';
import { platform, userInfo } from 'node:os';
import { join } from 'node:path';
import { gate } from '../../words/gate.js';
import type { GatedAgent } from '../hook-agents.js';
import { isObject } from '../json-text.js';
import { manifestPath } from '../manifest.js';

/** The folder of an administrator's configuration. Tests use another one. */
export const SYSTEM = '/etc';
const isMac = platform() === 'darwin';

/** Where a vendor reads the settings of an administrator. */
export const managedFolder = (agent: GatedAgent, system = SYSTEM): string =>
  agent === 'claude'
    ? isMac
      ? '/Library/Application Support/ClaudeCode'
      : join(system, 'claude-code')
    : isMac
      ? '/Library/Application Support/GeminiCli'
      : join(system, 'gemini-cli');

/** Our record of a managed gate. Every user can read it, and only root can change it. */
export const managedHome = (system = SYSTEM): string => join(system, 'countersign');

/** The home folder of Countersign of the user who runs this, whatever `HOME` and `COUNTERSIGN_HOME` say. */
export const homeOfUser = (): string => join(userInfo().homedir, '.countersign');

/** What a managed gate wrote for its hook. */
export interface ManagedRecord {
  readonly command: string;
  readonly pass: string;
  readonly exec: string;
}

/** Undefined if the agent has no managed gate. Throws if the record is damaged. */
export function readManaged(agent: GatedAgent, system = SYSTEM): ManagedRecord | undefined {
  const file = manifestPath(managedHome(system), agent);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  const { command, pass, exec } = isObject(value) ? value : {};
  if (typeof command !== 'string' || typeof pass !== 'string' || typeof exec !== 'string')
    throw new Error(gate.recordDamaged(file));
  return { command, pass, exec };
}
