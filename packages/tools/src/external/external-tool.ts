import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { StandIn, Tool, ToolPlace } from '@countersign/core/ports';
import { externalProgramSchema, programName, type Subject } from '@countersign/protocol';
import { absolutePath, writeSubjects } from '../files/path-argument.js';
import { onlyExactly } from '../shell/shell-cmd.js';
import { subjectsOfCommand } from '../shell/subjects-of-command.js';
import { hostSubjects } from '../web/web-fetch.js';
import { FOLDER_ARGUMENTS, KNOWN_TOOLS, PATH_ARGUMENTS, type KnownTool } from './known-tools.js';

/** Found by the program and its own name of the tool, as in `claude__Bash`. Undefined if the name has another form. */
export function externalTool(name: string): Tool | undefined {
  const [program, own] = splitName(name);
  if (program === undefined || own === undefined) return undefined;
  const known = KNOWN_TOOLS.get(own);
  const detail = programName(program);
  return {
    definition: {
      name,
      description: `The tool ${own} of ${detail}, which runs it itself.`,
      parameters: { type: 'object' },
      location: 'server',
    },
    trusted: false,
    external: true,
    ...(readsUnnamedPaths(known) ? { unconfined: true } : {}),
    sandbox: () => ({ kind: 'external', network: 'unknown', hosts: [], readable: [], detail }),
    validate: (args) => ({ ok: true, value: args }),
    ...(known === undefined
      ? {}
      : {
          subjects: (args, place) => touchedBy(known, readArguments(args), place).own,
          standsFor: (args, place) => touchedBy(known, readArguments(args), place).standIn,
          inspect: (args, place) => findRealPaths(known, readArguments(args), place),
        }),
    execute: () => Promise.reject(new Error(`only ${detail} can run this`)),
  };
}

/** A command, or a search in a folder, may read files that the call doesn't name, and nothing hides them from the program. */
function readsUnnamedPaths(known: KnownTool | undefined): boolean {
  return known?.does === 'run' || (known?.does === 'read' && known.as === 'grep');
}

function splitName(name: string): [string?, string?] {
  const at = name.indexOf('__');
  const program = name.slice(0, Math.max(0, at));
  return at > 0 && at + 2 < name.length && externalProgramSchema.safeParse(program).success
    ? [program, name.slice(at + 2)]
    : [];
}

type Arguments = Readonly<Record<string, unknown>>;

function readArguments(args: unknown): Arguments {
  return typeof args === 'object' && args !== null ? { ...args } : {};
}

/** What a call touches, for rules about the tool itself and about the built-in tool that it stands for. */
interface Touched {
  own: readonly Subject[];
  standIn?: StandIn;
}

/** No rule can allow it, because nothing tells what it touches. It still stands for the built-in tool, which a rule may deny. */
function unknown(tool: string, args: Arguments): Touched {
  const own: readonly Subject[] = [{ kind: 'dynamic', why: { code: 'no-subjects' } }];
  return { own, standIn: { tool, arguments: args, subjects: own } };
}

function touchedBy(known: KnownTool, args: Arguments, place: ToolPlace): Touched {
  switch (known.does) {
    case 'run':
      return commandOf(args);
    case 'read':
      return pathsOf(known.as, args, place, known.as === 'read_file' ? undefined : '.');
    case 'write':
      return pathsOf(known.as, args, place, undefined);
    case 'patch':
      return patchOf(args, place);
    case 'fetch':
      return urlOf(args);
  }
}

function commandOf(args: Arguments): Touched {
  const [command, ...others] = [args['command'], args['cmd']].filter((given) => given !== undefined);
  const words = Array.isArray(command) ? command : [];
  const isText = typeof command === 'string' || (words.length > 0 && words.every((word) => typeof word === 'string'));
  // With two of them, it is unknown which one the program runs.
  if (!isText || others.length > 0) return unknown('shell_cmd', args);
  const subjects =
    typeof command === 'string' ? subjectsOfCommand(command) : subjectsOfCommand('', words as readonly string[]);
  // A relative path in the command means another file than in the session's folder.
  const moves = FOLDER_ARGUMENTS.some((name) => typeof args[name] === 'string' && args[name] !== '');
  const moved: Subject[] = moves ? [{ kind: 'dynamic', why: { code: 'changes-folder' }, told: true }] : [];
  const own = [...subjects.map(onlyExactly), ...moved];
  const text = typeof command === 'string' ? command : words.join(' ');
  return { own, standIn: { tool: 'shell_cmd', arguments: { command: text }, subjects: own } };
}

type FileTool = Extract<KnownTool, { as: string }>['as'];

function pathsOf(as: FileTool, args: Arguments, place: ToolPlace, otherwise: string | undefined): Touched {
  const named = PATH_ARGUMENTS.flatMap((name) => {
    const value = args[name];
    return typeof value === 'string' && value !== '' ? [{ name, value }] : [];
  });
  if (named.length === 0 && otherwise === undefined) return unknown(as, args);
  const all: readonly { name: string; value: string }[] =
    named.length === 0 ? [{ name: 'path', value: otherwise ?? '.' }] : named;
  const globbed = as === 'list_files' ? globSubjects(args['pattern'], all[0]?.value ?? '.', place) : [];
  const own = [...all.flatMap(({ name, value }) => pathSubjects(as, value, place, name)), ...globbed];
  const standing = [...all.flatMap(({ value }) => pathSubjects(as, value, place, 'path')), ...globbed];
  return { own, standIn: { tool: as, arguments: { ...args, path: all[0]?.value }, subjects: standing } };
}

function pathSubjects(as: FileTool, given: string, place: ToolPlace, argument: string): readonly Subject[] {
  return readingsOf(given).flatMap((path): readonly Subject[] => {
    if (as !== 'write_file' && as !== 'edit_file') return [{ kind: 'path', path: absolutePath(place, path), argument }];
    return writeSubjects(path, place).map((subject) => (subject.kind === 'path' ? { ...subject, argument } : subject));
  });
}

/** Some programs trim a path and expand `~`, and others don't. Rules judge each file that it may name. */
function readingsOf(path: string): readonly string[] {
  const trimmed = path.trim();
  const fromHome = /^~(?:\/|$)/.test(trimmed) ? [join(homedir(), trimmed.slice(1))] : [];
  return [...new Set([path, trimmed, ...fromHome])].filter((reading) => reading !== '');
}

const GLOB_CHARACTER = /[*?[\]{}()!+@]/;

/** The folder in which a glob starts: an absolute one, or one with `..`, leaves the folder that the call names. */
function globSubjects(pattern: unknown, folder: string, place: ToolPlace): readonly Subject[] {
  if (typeof pattern !== 'string' || pattern === '') return [];
  const names = pattern.trim().split('/');
  const first = names.findIndex((name) => GLOB_CHARACTER.test(name));
  const [fixed, rest] = first === -1 ? [names, []] : [names.slice(0, first), names.slice(first)];
  const start = fixed.length === 1 && fixed[0] === '' ? '/' : fixed.join('/');
  const found =
    start === '' ? [] : pathSubjects('list_files', start, { workingDirectory: absolutePath(place, folder) }, 'pattern');
  const isDynamic = rest.includes('..') || /[{(][^})]*\//.test(rest.join('/'));
  return isDynamic ? [...found, { kind: 'dynamic', why: { code: 'glob' } }] : found;
}

const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files that a patch in Codex's format names. */
function patchOf(args: Arguments, place: ToolPlace): Touched {
  const texts = Object.values(args).filter((value) => typeof value === 'string');
  const paths = texts.flatMap((text) => [...text.matchAll(PATCHED)].map(([, path]) => (path ?? '').trim()));
  if (paths.length === 0) return unknown('edit_file', args);
  const own = paths.flatMap((path) => pathSubjects('edit_file', path, place, 'path'));
  return { own, standIn: { tool: 'edit_file', arguments: { path: paths[0] }, subjects: own } };
}

function urlOf(args: Arguments): Touched {
  const { url } = args;
  const own = typeof url === 'string' ? hostSubjects(url) : undefined;
  if (own === undefined) return unknown('web_fetch', args);
  return { own, standIn: { tool: 'web_fetch', arguments: { url }, subjects: own } };
}

/** A rule about a file also holds for a link to it. The program may still find another file when it opens the path. */
async function findRealPaths(known: KnownTool, args: Arguments, place: ToolPlace): Promise<readonly Subject[]> {
  const found: Subject[] = [];
  for (const subject of touchedBy(known, args, place).own) {
    if (subject.kind !== 'path') continue;
    const real = await realPath(subject.path);
    if (real !== subject.path) found.push({ kind: 'path', path: real });
  }
  return found;
}

/** The path with all links resolved, also if the file, or folders that it is in, don't exist yet. */
async function realPath(path: string): Promise<string> {
  const folder = dirname(path);
  if (folder === path) return path;
  return await realpath(path).catch(async () => join(await realPath(folder), basename(path)));
}
