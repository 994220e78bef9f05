import { randomBytes } from 'node:crypto';
import { readConfig, resolvePath, type FileChange } from './config-change.js';
import { WAIT_SECONDS, type ConfigFile, type GateValues } from './gated-agents.js';
import type { GatedAgent } from './hook-agents.js';
import { toJson } from './json-text.js';
import {
  backupPath,
  hookConfigPath,
  manifestPath,
  originalOf,
  readManifest,
  sha256,
  type Manifest,
  type WrittenFile,
} from './manifest.js';

interface Installation {
  readonly values: GateValues;
  /** The agent's own files, for people to review. */
  readonly changes: readonly FileChange[];
  /** Backups and our record of the installation, written with them. */
  readonly records: readonly FileChange[];
  /** What the hook of an earlier installation uses. */
  readonly earlierHook: string | undefined;
}

interface PlanOptions {
  /** Where our record of the installation is. */
  readonly home: string;
  readonly command: string;
  readonly exec: string;
  readonly page?: string;
  /** For every user of the machine. */
  readonly isPublic?: true;
}

/** Reads the agent's files and decides what to write. Writes nothing. */
export async function planInstallation(
  agent: GatedAgent,
  files: readonly ConfigFile[],
  { home, command, page, exec, isPublic }: PlanOptions,
): Promise<Installation> {
  const known = await readManifest(home, agent);
  const pass = known?.pass ?? randomBytes(24).toString('hex');
  // Of hooks with the same command, Claude Code runs one, so a project must not be able to guess ours.
  const own = `${command} --id ${sha256(pass).slice(0, 16)}`;
  const values = { command: own, ...(page === undefined ? {} : { page }), waitSeconds: WAIT_SECONDS, pass, exec };
  const readable = isPublic === true ? { isPublic } : {};
  const changes: FileChange[] = [];
  const backups: FileChange[] = [];
  const writtenFiles: WrittenFile[] = [];
  for (const file of files) {
    const path = await resolvePath(file.path);
    const before = await readConfig(path);
    const after = file.add(before, values);
    changes.push({ path, before, after, isSecret: file.isSecret, ...readable });
    const backup = { path: backupPath(path), before: await readConfig(backupPath(path)) };
    const earlier = known?.files.find((written) => written.path === path);
    const isGated = before !== undefined && (earlier !== undefined || file.remove(before, undefined) !== before);
    const user = isGated ? userFile(file, before, { earlier, backup: backup.before }) : (before ?? null);
    writtenFiles.push({ path, sha256: sha256(after), ...(user === undefined ? {} : { before: user }) });
    // A second installation must not replace the backup of the user's own file.
    if (!isGated && before !== undefined) backups.push({ ...backup, after: before, isSecret: true });
  }
  const manifest: Manifest = { command: own, pass, exec, files: writtenFiles };
  const record = manifestPath(home, agent);
  const written = {
    path: record,
    before: await readConfig(record),
    after: toJson(manifest),
    isSecret: true,
    ...readable,
  };
  const earlierHook = await readConfig(hookConfigPath(home, agent));
  return { values, changes, records: [...backups, written], earlierHook };
}

/** What to restore after a second installation: what was known before, or the user's file with the changes made since. */
function userFile(
  file: ConfigFile,
  text: string,
  { earlier, backup }: { earlier: WrittenFile | undefined; backup: string | undefined },
): string | null | undefined {
  if (earlier !== undefined && sha256(text) === earlier.sha256) return earlier.before;
  return file.remove(text, originalOf(earlier, backup)) ?? null;
}
