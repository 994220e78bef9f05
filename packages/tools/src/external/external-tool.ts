import { ASKING_TOOLS } from './questions.js';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Tool, ToolPlace } from '@countersign/core/ports';
import { externalProgramSchema, programName, type Subject } from '@countersign/protocol';
import { COVERED_ARGUMENTS, KNOWN_TOOLS, type KnownTool } from './known-tools.js';
import { previewOf, TITLE_ONLY, titleIn, touchedByTitle } from './title-only.js';
import { predictEdits } from './edits/predict-edits.js';
import { quoteWord } from '../shell/join-command.js';
import {
  namedFolders,
  readArguments,
  readCommand,
  runsCommand,
  touchedBy,
  whyUnread,
  type Arguments,
  type Touched,
} from './touched-by.js';

/** Found by the program and its own name of the tool, as in `claude__Bash`. Undefined if the name has another form. */
export function externalTool(name: string): Tool | undefined {
  const [program, own] = splitName(name);
  if (program === undefined || own === undefined) return undefined;
  const known = KNOWN_TOOLS.get(own);
  const asks = ASKING_TOOLS.get(own);
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
    validate(args) {
      const error = known === undefined ? undefined : whyUnread(known, readArguments(args));
      return error === undefined ? { ok: true, value: args } : { ok: false, error };
    },
    ...(asks === undefined ? {} : { asks }),
    preview: async (args) => previewOf(readArguments(args)),
    ...(known?.does === 'write'
      ? {
          predictChange: async (given, place) => {
            const args = readArguments(given);
            return runsCommand(known, args) ? undefined : await predictEdits(own, args, place);
          },
        }
      : {}),
    ...(known === undefined
      ? { inspect: async (args) => (titleIn(readArguments(args)) === 'none' ? [] : [TITLE_ONLY]) }
      : {
          subjects: (args, place) => touched(known, readArguments(args), place).own,
          standsFor: (args, place) => touched(known, readArguments(args), place).standIn,
          inspect: (args, place) => findRealPaths(known, readArguments(args), place),
          predictedBy: (args) => predictedBy(known, readArguments(args)),
        }),
    execute: () => Promise.reject(new Error(`only ${detail} can run this`)),
  };
}

/** Deny and ask rules judge the arguments that they know. No rule allows the others. */
const UNKNOWN_ARGUMENTS: Subject = { kind: 'dynamic', why: { code: 'unknown-arguments' }, told: true, always: true };

function touched(known: KnownTool, args: Arguments, place: ToolPlace): Touched {
  switch (titleIn(args)) {
    case 'none': {
      const found = touchedBy(known, args, place);
      const isCovered = Object.keys(args).every((name) => COVERED_ARGUMENTS.has(name));
      return isCovered ? found : { ...found, own: [...found.own, UNKNOWN_ARGUMENTS] };
    }
    case 'only':
      return touchedByTitle(known, args, place);
    case 'mixed': {
      const { own, standIn } = touchedBy(known, args, place);
      const more =
        standIn === undefined ? {} : { standIn: { ...standIn, subjects: [...standIn.subjects, TITLE_ONLY] } };
      return { own: [...own, TITLE_ONLY], ...more };
    }
  }
}

/** A title isn't a command, and with two names for its folder, it is unknown which one counts. */
function predictedBy(known: KnownTool, args: Arguments): ReturnType<NonNullable<Tool['predictedBy']>> {
  if (!runsCommand(known, args) || titleIn(args) !== 'none') return undefined;
  const command = readCommand(args);
  const [folder, ...others] = namedFolders(args);
  if (command === undefined || others.length > 0) return undefined;
  const text = typeof command === 'string' ? command : command.map(quoteWord).join(' ');
  return { tool: 'shell_cmd', arguments: { command: text }, ...(folder === undefined ? {} : { folder }) };
}

/** A command, or a search in a folder, may read files that the call doesn't name, and nothing hides them from the program. */
function readsUnnamedPaths(known: KnownTool | undefined): boolean {
  switch (known?.does) {
    case 'run':
    case 'read-many':
      return true;
    case 'read':
      return known.as === 'grep';
    case 'unclear':
      return known.as !== 'web_fetch';
    case 'write':
    case 'patch':
    case 'fetch':
    case undefined:
      return false;
  }
}

function splitName(name: string): [string?, string?] {
  const at = name.indexOf('__');
  const program = name.slice(0, Math.max(0, at));
  return at > 0 && at + 2 < name.length && externalProgramSchema.safeParse(program).success
    ? [program, name.slice(at + 2)]
    : [];
}

/** A rule about a file also holds for a link to it. The program may still find another file when it opens the path. */
async function findRealPaths(known: KnownTool, args: Arguments, place: ToolPlace): Promise<readonly Subject[]> {
  const found: Subject[] = [];
  for (const subject of touched(known, args, place).own) {
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
