import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { StandIn, ToolPlace } from '@countersign/core/ports';
import type { Subject } from '@countersign/protocol';
import { absolutePath, isTooDeep, writeSubjects } from '../files/path-argument.js';
import { isTooLong, joinCommand, TOO_LONG } from '../shell/join-command.js';
import { onlyExactly } from '../shell/shell-cmd.js';
import { subjectsOfCommand } from '../shell/subjects-of-command.js';
import { hostSubjects } from '../web/web-fetch.js';
import { FOLDER_ARGUMENTS, PATH_ARGUMENTS, type KnownTool } from './known-tools.js';

export type Arguments = Readonly<Record<string, unknown>>;

export function readArguments(args: unknown): Arguments {
  // Not copied: this is called for each check of a call, which may have thousands of keys.
  return typeof args === 'object' && args !== null ? (args as Arguments) : {};
}

/** What a call touches, for rules about the tool itself and about the built-in tool that it stands for. */
export interface Touched {
  own: readonly Subject[];
  standIn?: StandIn;
}

/** No rule can allow it, because nothing tells what it touches. It still stands for the built-in tool, which a rule may deny. */
function unknown(tool: string, args: Arguments): Touched {
  const own: readonly Subject[] = [{ kind: 'dynamic', why: { code: 'no-subjects' } }];
  return { own, standIn: { tool, arguments: args, subjects: own } };
}

/** More than a call names. Judging each would block the process. */
const MAX_NAMED = 1000;

/** Why a call is refused before anything judges what it touches. */
export function whyUnread({ does }: KnownTool, args: Arguments): string | undefined {
  const command = readCommand(args);
  if (command !== undefined && isTooLong(typeof command === 'string' ? command : joinCommand('', command)))
    return `command: ${TOO_LONG}`;
  const { include, prompt } = args;
  const names =
    (does === 'read-many' && Array.isArray(include) && include.length > MAX_NAMED) ||
    (does === 'fetch' && typeof prompt === 'string' && hasMany(prompt, URL_IN_TEXT)) ||
    (does === 'patch' && hasMany(textsIn(args).join('\n'), PATCHED));
  if (names) return `The call names more than ${MAX_NAMED} files or URLs. Split it into several calls.`;
  const paths = [...PATH_ARGUMENTS, 'pattern', 'include'].flatMap((name) => args[name]);
  const isDeep = (path: unknown): boolean => typeof path === 'string' && isTooDeep(path);
  return [...paths, ...(does === 'patch' ? patchedIn(args) : [])].some(isDeep)
    ? 'A path has too many folders.'
    : undefined;
}

function hasMany(text: string, pattern: RegExp): boolean {
  let count = 0;
  for (const _ of text.matchAll(pattern)) if ((count += 1) > MAX_NAMED) return true;
  return false;
}

export function touchedBy(known: KnownTool, args: Arguments, place: ToolPlace): Touched {
  if (!isMislabelled(known, args)) return touchedByName(known, args, place);
  return neverAllow(runsCommand(known, args) ? commandOf(args) : touchedByName(known, args, place));
}

function touchedByName(known: KnownTool, args: Arguments, place: ToolPlace): Touched {
  switch (known.does) {
    case 'run':
      return commandOf(args);
    case 'read': {
      const read = pathsOf(known.as, args, place, known.as === 'read_file' ? undefined : '.');
      return known.byGit === true ? searchedByGit(read, args) : read;
    }
    case 'write':
      return pathsOf(known.as, args, place, undefined);
    case 'patch':
      return patchOf(args, place);
    case 'read-many':
      return filesOf(args, place);
    case 'fetch':
      return urlOf(args);
    case 'unclear':
      return unknown(known.as, args);
  }
}

/** The shells whose commands can be judged. Codex lets the model choose another program. */
const SHELL = /^(?:(?:\/usr)?\/bin\/)?(?:ba|da|z)?sh$/;

/** A command as text, or as the words of one program. Undefined if it is unclear what the program runs. */
export function readCommand(args: Arguments): string | readonly string[] | undefined {
  const [command, ...others] = [args['command'], args['cmd']].filter((given) => given !== undefined);
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [];
  const isText = typeof command === 'string' || (Array.isArray(command) && words.length === command.length);
  const { shell } = args;
  const isShell = shell === undefined || (typeof shell === 'string' && SHELL.test(shell));
  // With two of them, it is unknown which one the program runs.
  if (!isText || !isShell || others.length > 0) return undefined;
  return typeof command === 'string' ? command : words.length > 0 ? words : undefined;
}

/** The folders that a command names to run in, in place of the session's. A relative path then means another file. */
export function namedFolders(args: Arguments): readonly string[] {
  return FOLDER_ARGUMENTS.flatMap((name) => {
    const value = args[name];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
}

/** Codex names some commands by what it takes them for, such as `search`. A patch may come as a command, and no rule allows an unclear call anyway. */
function isMislabelled({ does }: KnownTool, args: Arguments): boolean {
  if (does === 'run' || does === 'unclear' || does === 'patch') return false;
  return args['command'] !== undefined || args['cmd'] !== undefined;
}

const TARGETS = [...PATH_ARGUMENTS, 'include', 'url', 'prompt'] as const;

/**
 * Whether the call runs a command, whatever the program calls it. With a path or a URL beside it, a command may be one of an editor, such as `view`, so
 * rules about the path or the URL apply instead.
 */
export function runsCommand(known: KnownTool, args: Arguments): boolean {
  if (known.does === 'run') return true;
  return isMislabelled(known, args) && TARGETS.every((name) => args[name] === undefined);
}

/** Git takes a pattern that starts with a dash as an option, and `-O` runs a program. `include` may start at the root, or lead out of the folder. */
function searchedByGit(read: Touched, { pattern, include = '' }: Arguments): Touched {
  if (typeof pattern === 'string' && pattern.trim().startsWith('-')) return neverAllow(read);
  const isInside = typeof include === 'string' && !/^\s*[:/~]|(?:^|\/)\s*\.\.\s*(?:\/|$)/.test(include);
  return isInside ? read : withSubject(read, { kind: 'dynamic', why: { code: 'glob' } });
}

/** Rules that deny the call still apply. No rule for the tool allows it. */
function neverAllow(touched: Touched): Touched {
  return withSubject(touched, { kind: 'dynamic', why: { code: 'called-otherwise' }, always: true });
}

function withSubject({ own, standIn }: Touched, subject: Subject): Touched {
  const more = standIn === undefined ? {} : { standIn: { ...standIn, subjects: [...standIn.subjects, subject] } };
  return { own: [...own, subject], ...more };
}

function commandOf(args: Arguments): Touched {
  const command = readCommand(args);
  if (command === undefined) return unknown('shell_cmd', args);
  const subjects = typeof command === 'string' ? subjectsOfCommand(command) : subjectsOfCommand('', command);
  const moved: Subject[] =
    namedFolders(args).length > 0 ? [{ kind: 'dynamic', why: { code: 'changes-folder' }, told: true }] : [];
  const own = [...subjects.map(onlyExactly), ...moved];
  const text = typeof command === 'string' ? command : command.join(' ');
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

export function pathSubjects(as: FileTool, given: string, place: ToolPlace, argument: string): readonly Subject[] {
  const isUnknown = place.isFolderUnknown === true && !isAbsolute(given);
  const unknown: readonly Subject[] = isUnknown ? [{ kind: 'dynamic', why: { code: 'no-folder' } }] : [];
  const found = readingsOf(given).flatMap((path): readonly Subject[] => {
    if (as !== 'write_file' && as !== 'edit_file') return [{ kind: 'path', path: absolutePath(place, path), argument }];
    return writeSubjects(path, place).map((subject) => (subject.kind === 'path' ? { ...subject, argument } : subject));
  });
  return [...found, ...unknown];
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

/** Paths and globs of files to read, also of those below a folder. No rule allows it, because the files aren't named. */
function filesOf(args: Arguments, place: ToolPlace): Touched {
  const { include } = args;
  const given: readonly unknown[] = Array.isArray(include) ? include : [include];
  const paths = given.filter((path) => typeof path === 'string');
  if (paths.length === 0 || paths.length < given.length) return unknown('read_file', args);
  const named = paths.flatMap((path) => globSubjects(path, '.', place));
  const own: readonly Subject[] = [...named, { kind: 'dynamic', why: { code: 'glob' } }];
  return { own, standIn: { tool: 'read_file', arguments: { path: paths[0] }, subjects: own } };
}

const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

function textsIn(args: Arguments): readonly string[] {
  return Object.values(args).filter((value) => typeof value === 'string');
}

function patchedIn(args: Arguments): readonly string[] {
  return textsIn(args).flatMap((text) => [...text.matchAll(PATCHED)].map(([, path]) => (path ?? '').trim()));
}

/** The files that a patch in Codex's format names. */
function patchOf(args: Arguments, place: ToolPlace): Touched {
  const paths = patchedIn(args);
  if (paths.length === 0) return unknown('edit_file', args);
  const own = paths.flatMap((path) => pathSubjects('edit_file', path, place, 'path'));
  return { own, standIn: { tool: 'edit_file', arguments: { path: paths[0] }, subjects: own } };
}

const URL_IN_TEXT = /https?:\/\/[^\s"'<>)\]]+/gi;

function urlOf(args: Arguments): Touched {
  const { url, prompt } = args;
  if (url === undefined && typeof prompt === 'string') return urlsIn(prompt);
  const own = typeof url === 'string' ? hostSubjects(url) : undefined;
  if (own === undefined) return unknown('web_fetch', args);
  return { own, standIn: { tool: 'web_fetch', arguments: { url }, subjects: own } };
}

/** Gemini CLI fetches the URLs in a text. Deny rules apply to those that are found, and no rule allows the call. */
function urlsIn(text: string): Touched {
  const urls = [...text.matchAll(URL_IN_TEXT)].map(([url]) => url);
  const hosts = urls.flatMap((url) => hostSubjects(url) ?? []);
  const own: readonly Subject[] = [...hosts, { kind: 'dynamic', why: { code: 'no-subjects' } }];
  return { own, standIn: { tool: 'web_fetch', arguments: { url: urls[0] ?? '' }, subjects: own } };
}
