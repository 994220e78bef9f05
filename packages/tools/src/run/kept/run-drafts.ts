import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { isInside, keptRuns, keptUndos, type KeptRun, type KeptRuns, type KeptUndos } from '@countersign/changes';
import type { ProtectedPaths } from '@countersign/core/ports';
import type { Effect, RunEffect } from '@countersign/protocol';
import { readInDraft } from '../../sandbox/draft/in-draft.js';
import { stillSeenIn } from '../../sandbox/draft/open-draft.js';
import { checkWorkingFolder, findHidden } from '../../sandbox/find-hidden.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { findProcess, foldersOfRun } from '../run-folder.js';
import { findRunSandbox, type RunSandbox } from '../run-sandbox.js';

/** Runs on this machine: their folders, and what sealing one needs of the sandbox. */
export interface RunDrafts {
  readonly kept: KeptRuns;
  readonly undos: KeptUndos;
  readonly sandbox: RunSandbox;
  /**
   * The real paths that rules hide from a program in this folder, and whether Git tracks one of them. Rejects for a folder in which nothing could be
   * hidden.
   */
  findHidden(folder: string, protectedPaths: ProtectedPaths): Promise<{ hidden: string[]; trackedHidden: boolean }>;
  /** Seals what an ended run changed. See `KeptRuns.seal`. */
  seal(id: string, how: SealHow): Promise<Effect | undefined>;
  /** Whether the supervisor of a run lives. */
  isSupervised(run: { readonly record: Pick<KeptRun['record'], 'supervisor'> }): Promise<boolean>;
  /** Whether a process still has the draft of a run mounted. */
  isInUse(run: KeptRun): Promise<boolean>;
}

interface SealHow {
  readonly protectedPaths: ProtectedPaths;
  readonly about: RunEffect;
  /** Ignored paths that a person wants applied all the same. */
  readonly include?: readonly string[] | undefined;
  /** Puts the commits on this branch. */
  readonly branch?: string | undefined;
  readonly signal: AbortSignal;
}

/** Or why not, as a sentence. `hide`: our own files, which also tell apart servers. */
export function runDrafts(sandbox: Sandbox, hide: readonly string[]): RunDrafts | { refused: string } {
  const found = findRunSandbox(sandbox);
  if ('refused' in found) return found;
  const { drafting } = found;
  const owner = hide.join('\n');
  const undos = keptUndos(drafting, owner);
  const kept = keptRuns(drafting, owner, undos);
  return {
    kept,
    undos,
    sandbox: found,
    async findHidden(folder, protectedPaths) {
      const confinement = { workingDirectory: folder, home: homedir(), hide, show: [], protectedPaths };
      const { folders, hiddenByRules } = await findHidden({ ...confinement, network: 'none' }, [drafting.folder]);
      checkWorkingFolder(
        { ...confinement, network: 'none' },
        folders.filter((path) => path === homedir()),
      );
      return { hidden: [...hiddenByRules].sort(), trackedHidden: await tracksAny(folder, hiddenByRules) };
    },
    async seal(id, { protectedPaths, about, include, branch, signal }) {
      const run = await kept.read(id);
      if (run === undefined) throw new Error('there is no such run');
      const rules = { isProtected: (path: string) => protectedPaths.isProtected(path) };
      return await kept.seal(id, {
        rules,
        about,
        include,
        branch,
        signal,
        stillSeen: stillSeenIn(drafting, foldersOfRun(run.root), run.record.folder),
        inSandbox: readInDraft(found, foldersOfRun(run.root), run.record.folder),
      });
    },
    async isSupervised({ record: { supervisor } }) {
      const found = await findProcess(supervisor.pid);
      return found?.started === supervisor.started;
    },
    isInUse,
  };
}

/** The index lists the tracked paths as plain text, except in version 4, which shortens them. */
async function tracksAny(folder: string, hidden: readonly string[]): Promise<boolean> {
  const inside = hidden.filter((path) => path !== folder && isInside(folder, path));
  if (inside.length === 0) return false;
  const index = await readFile(join(folder, '.git', 'index')).catch(() => undefined);
  if (index === undefined || index.length < 8) return false;
  return index.readUInt32BE(4) > 3 || inside.some((path) => index.includes(relative(folder, path)));
}

/** The command line of bubblewrap names a folder of the draft, and everything in the sandbox dies with it. */
async function isInUse({ root }: KeptRun): Promise<boolean> {
  const { upper, work, lower, merged } = foldersOfRun(root);
  const folders = [root, upper, work, lower, merged];
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (Number(pid) === process.pid) continue;
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (words.split('\0').some((word) => folders.includes(word))) return true;
  }
  return false;
}
