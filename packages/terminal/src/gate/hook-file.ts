import type { CreatedExternalAgent } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import type { FileChange } from './config-change.js';
import { PROGRAM_NAMES } from './gated-agents.js';
import type { GatedAgent } from './hook-agents.js';
import { inodeOf, readPlaces, type HookPlaces } from './hook/find-place.js';
import { isObject, toJson } from './json-text.js';

/** The configuration of a hook. `about`: for adding its agent to further worlds. */
export type HookFile = HookPlaces &
  Pick<CreatedExternalAgent, 'token' | 'tokenId' | 'person'> & {
    readonly url: string;
    readonly pass: string;
    readonly about: { readonly name: string; readonly program: string; readonly usedBy?: string };
    readonly allowHttp?: boolean;
  };

/** Throws for one of an earlier version, which has one world for all folders, and for one of another server. */
export function readHookFile(text: string, agent: GatedAgent, url: string): HookFile {
  try {
    const value: unknown = JSON.parse(text);
    const places = readPlaces(value);
    if (isObject(value) && value['url'] === url && isObject(value['about']) && places.folders !== undefined)
      return { ...(value as unknown as HookFile), ...places };
  } catch {
    // Damaged: the same advice.
  }
  throw new CommandError(gate.installAgain(PROGRAM_NAMES[agent], agent));
}

/** The configuration with these folders, too, in place of what it says about them. */
export function placesWith(config: HookFile, added: NonNullable<HookPlaces['folders']>): HookFile {
  const others = config.folders?.filter((known) => added.every(({ folder }) => folder !== known.folder)) ?? [];
  return { ...config, folders: [...others, ...added] };
}

/** Records which folder each path is now, unless that is known: another one there gets no calls through (GATE7.8). */
export function writeHookFile(path: string, before: string | undefined, config: HookFile): FileChange {
  const folders = config.folders?.map((place) => {
    const inode = place.inode ?? inodeOf(place.folder);
    return inode === undefined ? place : { ...place, inode };
  });
  return { path, before, after: toJson({ ...config, ...(folders === undefined ? {} : { folders }) }), isSecret: true };
}
