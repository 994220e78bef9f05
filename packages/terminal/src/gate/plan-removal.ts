import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import { readConfig, resolvePath, type FileChange } from './config-change.js';
import type { ConfigFile } from './gated-agents.js';
import type { GatedAgent } from './hook-agents.js';
import { backupPath, hookConfigPath, manifestPath, originalOf, readManifest, sha256 } from './manifest.js';

interface Removal {
  readonly changes: readonly FileChange[];
  readonly records: readonly FileChange[];
  /** Changed files in which settings of the gate may remain, because nothing says what was there before. */
  readonly unsure: readonly string[];
}

/** Restores files that are as we wrote them, and removes only our parts from the others. Writes nothing. */
export async function planRemoval(agent: GatedAgent, files: readonly ConfigFile[], home: string): Promise<Removal> {
  const known = await readManifest(home, agent);
  const paths = await Promise.all(files.map(async ({ path }) => await resolvePath(path)));
  // In another home folder, the agent would stay gated by a hook without its configuration, so that no call could run.
  const elsewhere = known?.files.find(({ path }) => !paths.includes(path));
  if (elsewhere !== undefined) throw new CommandError(gate.installedElsewhere(elsewhere.path, paths));
  const changes: FileChange[] = [];
  const records: FileChange[] = [];
  const unsure: string[] = [];
  // In the opposite order of the installation, so that the agent fails closed to the end.
  for (const file of files.toReversed()) {
    const path = await resolvePath(file.path);
    const text = await readConfig(path);
    const backup = await readConfig(backupPath(path));
    const written = known?.files.find((one) => one.path === path);
    if (text !== undefined) {
      const original = originalOf(written, backup);
      const isUnchanged = written !== undefined && sha256(text) === written.sha256;
      const after = isUnchanged && original !== undefined ? original.text : file.remove(text, original);
      if (after !== text) changes.push({ ...file, path, before: text, after });
      if (after !== text && after !== undefined && original === undefined) unsure.push(path);
    }
    if (backup !== undefined)
      records.push({ path: backupPath(path), before: backup, after: undefined, isSecret: true });
  }
  // Without a record and without a hook, nothing says that the configuration of the hook is not in use elsewhere.
  if (known === undefined && changes.length === 0) return { changes, records: [], unsure };
  for (const path of [manifestPath(home, agent), hookConfigPath(home, agent)]) {
    const before = await readConfig(path);
    if (before !== undefined) records.push({ path, before, after: undefined, isSecret: true });
  }
  return { changes, records, unsure };
}
