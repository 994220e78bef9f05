import { join } from 'node:path';
import type { EffectPaths } from '@countersign/core/ports';
import { showPath } from '../files/file-names.js';
import type { LeftOut } from '../inspect/left-out.js';
import type { Change } from './list-changes.js';

/** Rules about effects compare each path with each pattern, so a longer list would take too long to judge. */
export const MAX_PATHS = 50_000;

/** All paths of an effect, for rules about effects (RULE10). Undefined if there are too many. */
export function effectPaths(
  changes: readonly Change[],
  leftOut: readonly LeftOut[],
  most = MAX_PATHS,
): EffectPaths | undefined {
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const outward: string[] = [];
  for (const change of changes) {
    const { path } = change;
    switch (change.do) {
      case 'keep':
        if (change.mode !== change.was.mode) changed.push(path === '' ? '.' : path);
        break;
      case 'remove':
        for (const [below] of change.was) removed.push(showPath(join(path, below)));
        break;
      case 'put':
        (change.was === '' ? added : changed).push(path);
        if (change.kind === 'link' && mayLeadOut(path, change.target)) outward.push(path);
    }
    if (added.length + changed.length + removed.length > most) return undefined;
  }
  return { added, changed, removed, outward, leftOut: leftOut.map(({ path }) => path) };
}

/** A `..` after a name may pass through another link, so only `..` at the start of a target is followed. */
function mayLeadOut(path: string, target: string): boolean {
  if (target.startsWith('/')) return true;
  const names = target.split('/').filter((name) => name !== '' && name !== '.');
  const isUp = (name: string): boolean => name === '..';
  const up = names.findIndex((name) => !isUp(name));
  const climbs = up === -1 ? names.length : up;
  return climbs > path.split('/').length - 1 || names.slice(climbs).some(isUp);
}
