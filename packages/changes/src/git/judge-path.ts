import { join } from 'node:path';
import { isOwnFile } from '@countersign/core/ports';
import { isEscaped } from '../files/file-names.js';
import { isInside } from '../files/is-inside.js';
import type { LeftOut } from '../inspect/left-out.js';
import { LONGEST_PATH } from '../inspect/inspect-layer.js';
import { namesEntry, runsLater } from '../runs-later/runs-later.js';
import type { TreePath } from './read-commits.js';

const GITLINK = '160000';
const LINK = '120000';

export interface PathRules {
  readonly workingDirectory: string;
  /** Paths, relative to the folder, that Git's configuration or a link makes run later. */
  readonly named: readonly string[];
  readonly isProtected?: ((path: string) => boolean) | undefined;
}

/** Why a ref whose commits change this path is not moved: a checkout would write what no draft may write. */
export function judgeTreePath({ path, was, mode }: TreePath, rules: PathRules): LeftOut['why'] | undefined {
  if (isEscaped(path) || path.length > LONGEST_PATH) return 'name';
  if (was === GITLINK || mode === GITLINK) return 'repository';
  const absolute = join(rules.workingDirectory, path);
  if (isOwnFile(absolute)) return 'ours';
  if (rules.isProtected?.(absolute) === true) return 'rule';
  if (runsLater(rules.workingDirectory, absolute) !== undefined) return 'runs-later';
  if (rules.named.some((one) => isInside(one, path) || isInside(path, one))) return 'runs-later';
  return (was === LINK || mode === LINK) && namesEntry(path) ? 'runs-later' : undefined;
}
