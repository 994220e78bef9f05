import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isInside } from '../../files/is-inside.js';
import { isFolder, isRunnable, realPath } from '../../files/probe.js';
import { trustedFolders } from '../../shell/trusted-folders.js';
import { installPrefix, isProgramFolder } from './install-prefix.js';
import { isSecretEntry, isSecretFolder } from './secret-names.js';

export interface ProgramSearch {
  /** The PATH variable. */
  readonly path: string;
  /** The user's home; a real path. */
  readonly home: string;
  /**
   * Folders that must stay hidden, and those that agents write to; real paths. Programs in or around them are not
   * shown.
   */
  readonly avoid: readonly string[];
}

/** The parts of the user's home that a sandbox shows read-only, so that the programs on PATH run. */
export interface Programs {
  /** Folders and single files; real paths, none inside another. */
  readonly shown: readonly string[];
  /** Entries of these that look like secrets. */
  readonly hidden: readonly string[];
  /** Symlinks on the way to them, which would otherwise be hidden. */
  readonly links: readonly { readonly at: string; readonly to: string }[];
  /** Variables for version managers, because HOME differs in the sandbox. */
  readonly environment: Readonly<Record<string, string>>;
}

const MAX_SHOWN = 200;
const MAX_LINKS = 8;

/** Variables by which version managers find their files, with folders relative to the home. */
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

  /** Returns false if it stays hidden. */
  function show(one: string): boolean {
    if (!mayShow(one) || shown.size >= MAX_SHOWN) return false;
    shown.add(one);
    return true;
  }

  /** The target of a path; records the symlinks of its parents. Undefined if there is no target. */
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
   * Shows the target of a linked program and what it needs, such as the Python of its virtual environment. Returns
   * false if it stays hidden.
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

  /** A folder on PATH may also contain documents or settings. */
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

/** Uses the types of the directory listing: a stat for each entry took most of the search. */
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
