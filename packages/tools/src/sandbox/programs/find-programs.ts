import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isFolder, isInside, isRunnable, realPath } from '@countersign/changes';
import { trustedFolders } from '../../shell/trusted-folders.js';
import { installPrefix, isProgramFolder } from './install-prefix.js';
import { isSecretEntry, isSecretFolder } from './secret-names.js';

export interface ProgramSearch {
  /** The PATH variable. */
  readonly path: string;
  /** The real path of the user's home folder. */
  readonly home: string;
  /** Folders that must stay hidden, and those that agents write to, as real paths. Programs in or around them are not shown. */
  readonly avoid: readonly string[];
}

/** The parts of the user's home folder that a sandbox makes readable, so that the programs on PATH run. */
export interface Programs {
  /** Folders and single files, as real paths; none is inside another. */
  readonly shown: readonly string[];
  /** Entries inside `shown` that look like secrets. */
  readonly hidden: readonly string[];
  /** Symlinks that lead to `shown` and would otherwise be hidden. */
  readonly links: readonly { readonly at: string; readonly to: string }[];
  /** Variables for version managers, because HOME differs in the sandbox. */
  readonly environment: Readonly<Record<string, string>>;
}

const MAX_SHOWN = 200;
const MAX_LINKS = 8;

/** Variables that tell version managers where their files are, with folders relative to the home folder. */
const TOOL_HOMES: Readonly<Record<string, string>> = {
  '.rustup': 'RUSTUP_HOME',
  '.volta': 'VOLTA_HOME',
  '.pyenv': 'PYENV_ROOT',
  '.rbenv': 'RBENV_ROOT',
  '.asdf': 'ASDF_DATA_DIR',
};

/** Reads the current state of the disk. Never throws. */
export function findPrograms({ path, home, avoid }: ProgramSearch): Programs {
  const shown = new Set<string>();
  const links = new Map<string, string>();
  const searched = new Set<string>();

  function mayShow(one: string): boolean {
    return (
      isInside(home, one) &&
      one !== home &&
      !relative(home, one).split('/').some(isSecretFolder) &&
      !avoid.some((other) => isInside(other, one) || isInside(one, other))
    );
  }

  /** Returns false if the path stays hidden. */
  function show(one: string): boolean {
    if (!mayShow(one) || shown.size >= MAX_SHOWN) return false;
    shown.add(one);
    return true;
  }

  /** The target of a path; records the symlinks among its parents. Undefined if there is no target. */
  function follow(written: string): string | undefined {
    const folder = realPath(dirname(written));
    if (folder === undefined) return undefined;
    for (let at = dirname(written); at !== dirname(at); at = dirname(at)) {
      const to = isLink(at) ? realPath(at) : undefined;
      if (to !== undefined) links.set(at, to);
    }
    return join(folder, basename(written));
  }

  function search(folder: string): void {
    if (searched.has(folder)) return;
    searched.add(folder);
    for (const name of linksIn(folder)) chase(join(folder, name));
  }

  /**
   * Makes the target of a linked program visible with everything it needs, such as the Python in its virtual environment. Returns false if it
   * stays hidden.
   */
  function chase(link: string): boolean {
    let at = link;
    for (let steps = 0; steps < MAX_LINKS && isLink(at); steps += 1) {
      const next = follow(resolve(dirname(at), readlinkSync(at)));
      if (next === undefined || !isRunnable(next)) return false;
      at = next;
      if (!isInside(home, at)) continue;
      const prefix = installPrefix(home, dirname(at));
      if (prefix === undefined ? !show(at) : !show(prefix)) return false;
      if (prefix !== undefined) search(dirname(at));
    }
    return true;
  }

  /** Shows single programs, because a folder on PATH may also contain documents or settings. */
  function showEach(folder: string): void {
    if (!mayShow(folder)) return;
    for (const file of namesIn(folder).map((name) => join(folder, name))) {
      const to = isRunnable(file) ? realPath(file) : undefined;
      if (to === undefined) continue;
      if (!isLink(file)) show(file);
      else if (chase(file)) links.set(file, to);
    }
  }

  for (const entry of trustedFolders(path)) {
    const folder = realPath(entry);
    if (folder === undefined || !isInside(home, folder)) continue;
    const prefix = installPrefix(home, folder) ?? (isProgramFolder(folder) ? folder : undefined);
    if (prefix === undefined) showEach(folder);
    else if (!show(prefix)) continue;
    else search(folder);
    follow(join(entry, 'program'));
    if (relative(home, folder) === '.cargo/bin' && isFolder(join(home, '.rustup'))) show(join(home, '.rustup'));
  }
  const outer = [...shown].filter((one) => ![...shown].some((other) => other !== one && isInside(other, one)));
  return {
    shown: outer,
    hidden: outer.flatMap((one) => [one, join(one, 'etc')].flatMap(secretsIn)),
    links: [...links].map(([at, to]) => ({ at, to })).filter(({ at }) => !outer.some((one) => isInside(one, at))),
    environment: Object.fromEntries(
      Object.entries(TOOL_HOMES).flatMap(([name, variable]) =>
        outer.includes(join(home, name)) ? [[variable, join(home, name)]] : [],
      ),
    ),
  };
}

function secretsIn(folder: string): string[] {
  return namesIn(folder)
    .filter(isSecretEntry)
    .map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  return entriesIn(folder).map(({ name }) => name);
}

/** Uses the entry types from the directory listing: calling `stat` for each entry took most of the search time. */
function linksIn(folder: string): string[] {
  return entriesIn(folder).flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : []));
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
