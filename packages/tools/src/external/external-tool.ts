import { realpath } from 'node:fs/promises';
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
    ...(known?.does === 'run' ? { unconfined: true } : {}),
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

/** No rule can allow it, because nothing tells what it touches. */
const UNKNOWN: Touched = { own: [{ kind: 'dynamic', why: { code: 'no-subjects' } }] };

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
  const command = args['command'] ?? args['cmd'];
  const words = Array.isArray(command) ? command : [];
  const isText = typeof command === 'string' || (words.length > 0 && words.every((word) => typeof word === 'string'));
  if (!isText) return UNKNOWN;
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
  if (named.length === 0 && otherwise === undefined) return UNKNOWN;
  const all: readonly { name: string; value: string }[] =
    named.length === 0 ? [{ name: 'path', value: otherwise ?? '.' }] : named;
  const own = all.flatMap(({ name, value }) => pathSubjects(as, value, place, name));
  const standing = all.flatMap(({ value }) => pathSubjects(as, value, place, 'path'));
  return { own, standIn: { tool: as, arguments: { ...args, path: all[0]?.value }, subjects: standing } };
}

function pathSubjects(as: FileTool, path: string, place: ToolPlace, argument: string): readonly Subject[] {
  if (as === 'write_file' || as === 'edit_file') {
    return writeSubjects(path, place).map((subject) => (subject.kind === 'path' ? { ...subject, argument } : subject));
  }
  return [{ kind: 'path', path: absolutePath(place, path), argument }];
}

const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files that a patch in Codex's format names. */
function patchOf(args: Arguments, place: ToolPlace): Touched {
  const texts = Object.values(args).filter((value) => typeof value === 'string');
  const paths = texts.flatMap((text) => [...text.matchAll(PATCHED)].map(([, path]) => (path ?? '').trim()));
  if (paths.length === 0) return UNKNOWN;
  const own = paths.flatMap((path) => pathSubjects('edit_file', path, place, 'path'));
  return { own, standIn: { tool: 'edit_file', arguments: { path: paths[0] }, subjects: own } };
}

function urlOf({ url }: Arguments): Touched {
  const own = typeof url === 'string' ? hostSubjects(url) : undefined;
  if (own === undefined) return UNKNOWN;
  return { own, standIn: { tool: 'web_fetch', arguments: { url }, subjects: own } };
}

/** A rule about a file also holds for a link to it. The program may still find another file when it opens the path. */
async function findRealPaths(known: KnownTool, args: Arguments, place: ToolPlace): Promise<readonly Subject[]> {
  const found: Subject[] = [];
  for (const subject of touchedBy(known, args, place).own) {
    if (subject.kind !== 'path') continue;
    const real = await realpath(subject.path).catch(() => subject.path);
    if (real !== subject.path) found.push({ kind: 'path', path: real });
  }
  return found;
}
