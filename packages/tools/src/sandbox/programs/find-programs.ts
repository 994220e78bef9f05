import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isInside } from '../../files/is-inside.js';
import { isFolder, isRunnable, realPath } from '../../files/probe.js';
import { trustedFolders } from '../../shell/trusted-folders.js';
import { installPrefix, isProgramFolder } from './install-prefix.js';
import { isSecretEntry, isSecretFolder } from './secret-names.js';

export interface ProgramSearch {
  /** As in the environment. */
  readonly path: string;
  /** The person's home; real. */
  readonly home: string;
  /** What must stay hidden, and where agents write; real. A program in one of these, or around one, is not shown. */
  readonly avoid: readonly string[];
}

/** What of the person's home a sandbox shows, read-only, so that the programs on their PATH run. */
export interface Programs {
  /** Folders and single files, real; none lies in another. */
  readonly shown: readonly string[];
  /** Entries of these that look like secrets. */
  readonly hidden: readonly string[];
  /** Links on the way to them, which would be hidden. */
  readonly links: readonly { readonly at: string; readonly to: string }[];
  /** What version managers must be told, since their home is another one in the sandbox. */
  readonly environment: Readonly<Record<string, string>>;
}

const MOST_SHOWN = 200;
const MOST_LINKS = 8;

/** Folders by which version managers find what they start, in a home. */
const TOOL_HOMES: Readonly<Record<string, string>> = {
  '.rustup': 'RUSTUP_HOME',
  '.volta': 'VOLTA_HOME',
  '.pyenv': 'PYENV_ROOT',
  '.rbenv': 'RBENV_ROOT',
  '.asdf': 'ASDF_DATA_DIR',
};

/** Looks at the disk as it is now. Never throws. */
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

  /** False: it stays hidden. */
  function show(one: string): boolean {
    if (!mayShow(one) || shown.size >= MOST_SHOWN) return false;
    shown.add(one);
    return true;
  }

  /** Where a path leads, with the links on the way to its last name written down. Undefined: nowhere. */
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

  /** Shows what a linked program is, and what that needs in turn, such as the Python of its environment. False: it stays hidden. */
  function chase(link: string): boolean {
    let at = link;
    for (let steps = 0; steps < MOST_LINKS && isLink(at); steps += 1) {
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

  /** A folder of documents or settings may be on PATH too. */
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

/** By what the listing says: asking about each entry took most of the search. */
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
