import { isInside, realPath } from '@countersign/changes';
import { findPrograms, type Programs } from '../sandbox/programs/find-programs.js';
import { trustedFolders } from '../shell/trusted-folders.js';
import { isSystemPath } from './system-view.js';

/** Top folders with data of people, services and other disks. A program installed there isn't shown, except in the person's own home. */
const NEVER = 'boot dev etc home lost+found media mnt proc root run srv sys tmp var'
  .split(' ')
  .map((name) => `/${name}`);

interface Search {
  /** The PATH variable. */
  readonly path: string;
  /** The real path of the person's home folder. */
  readonly home: string;
  /** Paths in or around which nothing is shown. */
  readonly avoid: readonly string[];
}

/** The programs on PATH that a run shows in addition to the system: those in the person's home, and in folders such as `/opt/node/bin`. */
export function findRunPrograms({ path, home, avoid }: Search): Programs & { readonly elsewhere: readonly string[] } {
  const own = findPrograms({ path, home, avoid });
  const tops = new Set(
    trustedFolders(path).flatMap((entry) => {
      const real = realPath(entry);
      const top = real === undefined ? undefined : `/${real.split('/')[1] ?? ''}`;
      return top === undefined || top === '/' || NEVER.includes(top) || isSystemPath(top) ? [] : [top];
    }),
  );
  const around = [...avoid, home];
  const others = [...tops]
    .filter((top) => !isInside(top, home))
    .map((top) => findPrograms({ path, home: top, avoid: around }));
  const elsewhere = others.flatMap(({ shown }) => shown);
  return {
    shown: [...own.shown, ...elsewhere],
    hidden: [own, ...others].flatMap(({ hidden }) => hidden),
    links: [own, ...others].flatMap(({ links }) => links),
    environment: own.environment,
    elsewhere,
  };
}
