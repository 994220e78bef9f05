import { realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { Places } from '../gated-agents.js';
import type { HookAgent } from '../hook-agents.js';
import { isObject } from '../json-text.js';

/** The world that gets calls, and the agent that makes them there. */
export interface HookPlace {
  readonly world: string;
  readonly agent: string;
}

/** Where the calls of a gated agent go. Without `folders`, as an earlier version wrote it, all go to one world. */
export interface HookPlaces extends HookPlace {
  readonly folders?: readonly (HookPlace & { readonly folder: string })[];
  /** For all other folders. Absent: calls there are refused. */
  readonly elsewhere?: HookPlace;
}

/**
 * The folder in which the agent was started. For Claude Code, that of a call is one that the model can change, and so could choose the rules of another
 * project. It names the first one in a variable that it sets for its hooks, and that no project may set (GATE1.5).
 */
export function startFolder(agent: HookAgent, cwd: string | undefined, { env }: Places): string | undefined {
  const given = agent === 'claude' ? env['CLAUDE_PROJECT_DIR'] : undefined;
  return given !== undefined && isAbsolute(given) ? given : cwd;
}

/**
 * The place for a folder: that of the nearest folder with one, by real paths. Undefined if calls there are refused: also in a folder that is gone, which an
 * agent could rename to get the rules for all others.
 */
export function placeOf(places: HookPlaces, folder: string | undefined): HookPlace | undefined {
  const { folders, elsewhere } = places;
  if (folders === undefined) return places;
  const nearest = (path: string): HookPlace | undefined =>
    folders.find((known) => known.folder === path) ?? (dirname(path) === path ? undefined : nearest(dirname(path)));
  if (folder === undefined) return elsewhere;
  const real = realPath(folder);
  return real === undefined ? undefined : (nearest(real) ?? elsewhere);
}

/** The places in a configuration of the hook. Throws if they are not what we wrote. */
export function readPlaces(value: unknown): HookPlaces {
  if (!isObject(value)) throw new TypeError();
  const { folders, elsewhere } = value;
  const list: readonly unknown[] | undefined = Array.isArray(folders) ? folders : undefined;
  if (folders !== undefined && list === undefined) throw new TypeError('folders');
  return {
    ...readPlace(value),
    ...(list === undefined
      ? {}
      : { folders: list.map((one) => ({ ...readPlace(one), folder: wordIn(one, 'folder') })) }),
    ...(elsewhere === undefined ? {} : { elsewhere: readPlace(elsewhere) }),
  };
}

function readPlace(value: unknown): HookPlace {
  return { world: wordIn(value, 'world'), agent: wordIn(value, 'agent') };
}

function wordIn(value: unknown, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  if (typeof found !== 'string') throw new TypeError(key);
  return found;
}

function realPath(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}
