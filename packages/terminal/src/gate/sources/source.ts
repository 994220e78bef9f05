import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '../../command-error.js';
import { gate } from '../../words/gate.js';
import type { Places } from '../gated-agents.js';
import { otherHook, otherHooks, removeHooks } from '../hook-entries.js';
import { isObject, objectAt, type JsonObject } from '../json-text.js';

/** A file that an agent reads, beside those that `gate install` wrote. Everything here is synchronous: the hook reads it for each call. */
export interface Source {
  readonly file: string;
  /** Why it changes the gate; undefined if it doesn't. Throws if the file is not what it should be. */
  readonly gap?: (text: string) => string | undefined;
  /** The programs that the agent starts because of it, without a call. */
  readonly starts?: (text: string) => readonly string[];
}

/** Where and how an agent runs. */
export interface AgentSession {
  readonly places: Places;
  /** The folder that it works in. */
  readonly folder: string;
  /** Our own hook, as `gate install` wrote it. */
  readonly command?: string | undefined;
  /** The words that it was started with, if they are known. */
  readonly words?: readonly string[];
}

export function gapsIn(sources: readonly Source[]): string[] {
  return distinct(sources).flatMap(({ file, gap }) => {
    if (gap === undefined) return [];
    try {
      const text = readIfPresent(file);
      return (text === undefined ? undefined : gap(text)) ?? [];
    } catch (error) {
      // The agent may read it all the same, for example with comments.
      if (error instanceof CommandError || (error instanceof Error && 'code' in error)) return gate.sourceUnread(file);
      throw error;
    }
  });
}

/** For people: what starts, and the file that says so. */
export function startsIn(sources: readonly Source[]): string[] {
  return distinct(sources).flatMap(({ file, starts }) => {
    try {
      const text = readIfPresent(file);
      return text === undefined || starts === undefined ? [] : starts(text).map((what) => gate.starts(file, what));
    } catch {
      // It is a gap already, or the agent can't read it either.
      return [];
    }
  });
}

/** The commands of MCP servers. */
export function mcpStarts(settings: JsonObject, file: string): readonly string[] {
  return Object.entries(objectAt(settings, 'mcpServers', file)).flatMap(([name, server]) =>
    isObject(server) && typeof server['command'] === 'string' ? gate.startsMcp(name, server['command']) : [],
  );
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A folder and those that it is in. */
export function ancestors(folder: string): readonly string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...ancestors(dirname(folder))];
}

/** Files with this ending in a folder and below it. */
export function filesBelow(folder: string, ending: string, depth = 4): readonly string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.toLowerCase().endsWith(ending)) return [path];
    return depth === 0 ? [] : filesBelow(path, ending, depth - 1);
  });
}

/** Another hook for these events than ours. `user`: in the settings that have ours, with the command that we wrote, if it is known. */
export function hookGap(
  settings: JsonObject,
  events: readonly string[],
  { file, user }: { file: string; user?: { command: string | undefined } },
): string | undefined {
  const command = user?.command;
  const others = user !== undefined && command === undefined ? removeHooks(settings, file) : settings;
  return otherHook(others, events, { file, ...(command === undefined ? {} : { own: command }) });
}

/** The commands of all hooks except ours. */
export function hookStarts(settings: JsonObject, file: string): readonly string[] {
  const others = removeHooks(settings, file);
  return Object.keys(objectAt(others, 'hooks', file)).flatMap((event) =>
    otherHooks(others, event, { file }).map((command) => gate.startsHook(event, command)),
  );
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The first source of each file counts: a project in the user's home folder has the user's settings. */
function distinct(sources: readonly Source[]): readonly Source[] {
  const seen = new Set<string>();
  return sources.filter(({ file }) => {
    const path = realPath(file);
    if (seen.has(path)) return false;
    seen.add(path);
    return true;
  });
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return;
    throw error;
  }
}
