import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import { readConfig, resolvePath, type FileChange } from './config-change.js';
import { outranksOurs } from './gemini-settings.js';
import { WAIT_SECONDS, type ConfigFile, type GatedAgent, type GateValues } from './gated-agents.js';

/** What an installation wrote, in the home folder of Countersign. */
export interface Manifest {
  readonly command: string;
  readonly pass: string;
  readonly files: readonly { path: string; sha256: string }[];
}

const manifestPath = (home: string, agent: GatedAgent): string => join(home, 'gate', `${agent}.files.json`);
export const hookConfigPath = (home: string, agent: GatedAgent): string => join(home, 'gate', `${agent}.json`);
const backupPath = (path: string): string => `${path}.before-countersign`;

export async function readManifest(home: string, agent: GatedAgent): Promise<Manifest | undefined> {
  const text = await readConfig(manifestPath(home, agent));
  if (text === undefined) return undefined;
  // Only we write it. A damaged one counts as missing: then nothing is restored, and our parts are removed.
  try {
    const { command, pass, files } = JSON.parse(text) as Partial<Manifest>;
    return typeof command === 'string' && typeof pass === 'string' && Array.isArray(files)
      ? { command, pass, files }
      : undefined;
  } catch {
    return undefined;
  }
}

export interface Installation {
  readonly values: GateValues;
  /** The agent's own files, for people to review. */
  readonly changes: readonly FileChange[];
  /** Backups and our record of the installation, written with them. */
  readonly records: readonly FileChange[];
}

/** Reads the agent's files and decides what to write. Writes nothing. */
export async function planInstallation(
  agent: GatedAgent,
  files: readonly ConfigFile[],
  { home, command, page }: { home: string; command: string; page: string },
): Promise<Installation> {
  const known = await readManifest(home, agent);
  const values = { command, page, waitSeconds: WAIT_SECONDS, pass: known?.pass ?? randomBytes(24).toString('hex') };
  const changes: FileChange[] = [];
  const backups: FileChange[] = [];
  for (const file of files) {
    const path = await resolvePath(file.path);
    const before = await readConfig(path);
    changes.push({ path, before, after: file.add(before, values), isSecret: file.isSecret });
    // A second installation must not replace the backup of the user's own file.
    const isOurs = known?.files.some((written) => written.path === path) ?? false;
    if (isOurs || before === undefined) continue;
    const backup = backupPath(path);
    backups.push({ path: backup, before: await readConfig(backup), after: before, isSecret: true });
  }
  if (agent === 'gemini') await refuseOutranking(files);
  const manifest: Manifest = {
    command,
    pass: values.pass,
    files: changes.map(({ path, after = '' }) => ({ path, sha256: sha256(after) })),
  };
  const record = manifestPath(home, agent);
  const written = { path: record, before: await readConfig(record), after: toJson(manifest), isSecret: true };
  return { values, changes, records: [...backups, written] };
}

/** Restores files that are as we wrote them, and removes only our parts from the others. Writes nothing. */
export async function planRemoval(
  agent: GatedAgent,
  files: readonly ConfigFile[],
  home: string,
): Promise<{ changes: readonly FileChange[]; records: readonly FileChange[] }> {
  const known = await readManifest(home, agent);
  const changes: FileChange[] = [];
  const records: FileChange[] = [];
  // In the opposite order of the installation, so that the agent fails closed to the end.
  for (const file of files.toReversed()) {
    const path = await resolvePath(file.path);
    const text = await readConfig(path);
    const backup = await readConfig(backupPath(path));
    const written = known?.files.find((one) => one.path === path);
    if (text !== undefined) {
      const isUnchanged = written !== undefined && sha256(text) === written.sha256;
      const after = isUnchanged ? backup : file.remove(text, backup);
      if (after !== text) changes.push({ path, before: text, after, isSecret: false });
    }
    if (backup !== undefined)
      records.push({ path: backupPath(path), before: backup, after: undefined, isSecret: true });
  }
  for (const path of [manifestPath(home, agent), hookConfigPath(home, agent)]) {
    const before = await readConfig(path);
    if (before !== undefined) records.push({ path, before, after: undefined, isSecret: true });
  }
  return { changes, records };
}

/** Why the agent isn't gated; undefined if its files are as we wrote them or gate every call all the same. */
export async function findGap(
  agent: GatedAgent,
  files: readonly ConfigFile[],
  { home }: { home: string },
): Promise<string | undefined> {
  const known = await readManifest(home, agent);
  if (known === undefined) return gate.notInstalled;
  const { command } = known;
  const gone = programsOf(command).find((path) => !existsSync(path));
  if (gone !== undefined) return gate.programGone(gone);
  try {
    if (agent === 'gemini') await refuseOutranking(files);
    for (const file of files) {
      const problem = file.gap(await readConfig(await resolvePath(file.path)), { command, pass: known.pass });
      if (problem !== undefined) return problem;
    }
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
  return undefined;
}

/** The node and the program that the hook runs with, if these are others than now. */
export function otherProgram({ command }: Manifest, now: string): string | undefined {
  const current = programsOf(now);
  return programsOf(command).find((path) => !current.includes(path));
}

/** The node and the program in a hook command, which starts with both in quotes. */
function programsOf(command: string): readonly string[] {
  const [node, program] = [...command.matchAll(/'((?:[^']|'\\'')*)'/g)].map(([, word = '']) =>
    word.replaceAll("'\\''", "'"),
  );
  return [node, program].filter((path) => path !== undefined);
}

/** A rule of the user in Gemini CLI's policy folder must not take precedence over ours. */
async function refuseOutranking(files: readonly ConfigFile[]): Promise<void> {
  const own = files.find(({ path }) => path.endsWith('.toml'));
  if (own === undefined) return;
  const folder = dirname(own.path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith('.toml'))) {
    const path = join(folder, name);
    if (path !== own.path && outranksOurs((await readConfig(path)) ?? '')) throw new CommandError(gate.outranked(path));
  }
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
