import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Places } from '../gated-agents.js';
import type { HookAgent } from '../hook-agents.js';
import { isObject } from '../json-text.js';

/** The world that gets calls, and the agent that makes them there. */
export interface HookPlace {
  readonly world: string;
  readonly agent: string;
}

interface FolderPlace extends HookPlace {
  readonly folder: string;
  /** Of the folder when a person chose its world. Absent if an earlier version wrote it. */
  readonly inode?: string;
}

/** Where the calls of a gated agent go. Without `folders`, as an earlier version wrote it, all go to one world. */
export interface HookPlaces extends HookPlace {
  readonly folders?: readonly FolderPlace[];
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
 * The place for the folder in which an agent was started: that of the nearest folder with one. Undefined if calls there are refused: also in a folder that
 * is gone, has become a link, or isn't the one that a person chose, because an agent could rename folders to get the rules of another project. Agents
 * name the folder by its real path.
 */
export function placeOf(places: HookPlaces, folder: string | undefined): HookPlace | undefined {
  const { folders, elsewhere } = places;
  if (folders === undefined) return places;
  const nearest = (path: string): FolderPlace | undefined =>
    folders.find((known) => known.folder === path) ?? (dirname(path) === path ? undefined : nearest(dirname(path)));
  if (folder === undefined) return elsewhere;
  if (realPath(folder) !== resolve(folder)) return undefined;
  const place = nearest(resolve(folder));
  if (place === undefined) return elsewhere;
  return place.inode === undefined || place.inode === inodeOf(place.folder) ? place : undefined;
}

/** The places in a configuration of the hook. Throws if they are not what we wrote. */
export function readPlaces(value: unknown): HookPlaces {
  if (!isObject(value)) throw new TypeError();
  const { folders, elsewhere } = value;
  const list: readonly unknown[] | undefined = Array.isArray(folders) ? folders : undefined;
  if (folders !== undefined && list === undefined) throw new TypeError('folders');
  return {
    ...readPlace(value),
    ...(list === undefined ? {} : { folders: list.map(readFolder) }),
    ...(elsewhere === undefined ? {} : { elsewhere: readPlace(elsewhere) }),
  };
}

function readFolder(value: unknown): FolderPlace {
  const inode = isObject(value) && value['inode'] !== undefined ? { inode: wordIn(value, 'inode') } : {};
  return { ...readPlace(value), folder: wordIn(value, 'folder'), ...inode };
}

function readPlace(value: unknown): HookPlace {
  return { world: wordIn(value, 'world'), agent: wordIn(value, 'agent') };
}

function wordIn(value: unknown, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  if (typeof found !== 'string') throw new TypeError(key);
  return found;
}

/** What a folder is, whatever its name. Undefined if it is gone. */
export function inodeOf(folder: string): string | undefined {
  return statSync(folder, { bigint: true, throwIfNoEntry: false })?.ino.toString();
}

function realPath(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}
