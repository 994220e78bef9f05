import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readConfig, type OriginalFile } from './config-change.js';
import type { GatedAgent } from './hook-agents.js';

/** What an installation wrote, in the home folder of Countersign. */
export interface Manifest {
  readonly command: string;
  readonly pass: string;
  readonly exec: string;
  readonly files: readonly WrittenFile[];
}

export interface WrittenFile {
  readonly path: string;
  readonly sha256: string;
  /** The user's file before the installation; null if there was none, absent if nothing says what it was. */
  readonly before?: string | null;
}

export const manifestPath = (home: string, agent: GatedAgent): string => join(home, 'gate', `${agent}.files.json`);
export const hookConfigPath = (home: string, agent: GatedAgent): string => join(home, 'gate', `${agent}.json`);
export const backupPath = (path: string): string => `${path}.before-countersign`;

export async function readManifest(home: string, agent: GatedAgent): Promise<Manifest | undefined> {
  const text = await readConfig(manifestPath(home, agent));
  if (text === undefined) return undefined;
  // Only we write it. A damaged one counts as missing: then nothing is restored, and our parts are removed.
  try {
    const { command, pass, exec, files } = JSON.parse(text) as Partial<Manifest>;
    const isWhole = [command, pass, exec].every((each) => typeof each === 'string') && Array.isArray(files);
    return isWhole ? ({ command, pass, exec, files } as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if neither our record nor a backup says what was there. */
export function originalOf(written: WrittenFile | undefined, backup: string | undefined): OriginalFile | undefined {
  if (written?.before !== undefined) return { text: written.before ?? undefined };
  return backup === undefined ? undefined : { text: backup };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
