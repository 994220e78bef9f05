import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftOut } from '../inspect/left-out.js';
import { isSame } from '../plan/is-same.js';
import { layerReader } from '../plan/layer-entries.js';
import { isGitSetting } from '../runs-later/runs-later.js';
import { ASIDE } from './set-aside.js';

/** Hooks and settings in the Git folder that a draft has set aside which differ from those of the folder. None of them is applied. */
export async function changedSettings(root: string, workingDirectory: string): Promise<LeftOut[]> {
  const aside = join(root, ASIDE);
  const reader = await layerReader(aside);
  const entriesOf = async (path: string): Promise<string[]> => {
    if (lstatSync(join(aside, path), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    return (await reader.read(join(aside, path))).map(({ name }) => join(path, name.toString()));
  };
  const isChanged = async (path: string): Promise<boolean> => {
    const [one, other] = [aside, workingDirectory].map((base) => {
      const at = join(base, path);
      return { path: at, stats: lstatSync(at, { bigint: true, throwIfNoEntry: false }) };
    });
    if (one?.stats === undefined || other?.stats === undefined) return true;
    return !(await isSame({ ...one, stats: one.stats }, { ...other, stats: other.stats }));
  };
  const found: string[] = [];
  for (const path of (await entriesOf('.git')).filter((one) => isGitSetting(one.slice('.git/'.length)))) {
    const isFolder = lstatSync(join(aside, path)).isDirectory();
    const inner = await entriesOf(path);
    if (path === '.git/hooks' && isFolder) found.push(...inner.filter((one) => !one.endsWith('.sample')));
    else if (!isFolder || inner.length > 0) found.push(path);
  }
  const changed: LeftOut[] = [];
  for (const path of found.toSorted()) if (await isChanged(path)) changed.push({ path, why: 'git' });
  return changed;
}
