import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { defineTool, type TypedTool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';
import { z } from 'zod';
import { literalMatcher, regexMatcher, regexProblem, type LineMatcher } from './line-matcher.js';
import { findRealPath } from './find-real-path.js';
import { looksBinary } from '@countersign/changes';
import { matchName } from './match-name.js';
import { openFile } from './open-inside.js';
import { pathArgument, readSubjects } from './path-argument.js';
import { noteOfWithheld, type Walk, type WalkCounter, walkCounter, walkFolder } from './walk-folder.js';

const MAX_MATCHES = 200;
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const LONGEST_LINE = 10_000;
const LONGEST_SHOWN = 300;
const DEEPEST = 50;

const parameters = z
  .strictObject({
    pattern: z
      .string()
      .min(1)
      .max(1_000)
      .describe('Literal text to search for, or a JavaScript regular expression if regex is true.'),
    path: pathArgument.exactOptional().describe('A folder or file. Default: the whole working folder.'),
    regex: z.boolean().exactOptional(),
    ignoreCase: z.boolean().exactOptional(),
    include: z.string().min(1).max(200).exactOptional().describe('Only files whose names match, such as *.ts'),
    hidden: z.boolean().exactOptional().describe('Whether to search files and folders whose names start with a dot.'),
  })
  .superRefine(({ pattern, regex }, context) => {
    const message = regex === true ? regexProblem(pattern) : undefined;
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['pattern'], message });
  });

/** Searches the text files in the working folder. `regexLimitMs` limits the total time for all regex searches in a call. */
export function grep({ regexLimitMs = 5_000 }: { regexLimitMs?: number } = {}): TypedTool<
  'grep',
  z.input<typeof parameters>
> {
  return defineTool({
    name: 'grep',
    description:
      'Finds lines in the text files of the working folder. Searches node_modules and .git only if path names them; skips binary files and files above 8 MB.',
    parameters,
    sandbox: () => inProcess('none'),
    readOnly: true,
    idempotent: true,
    subjects: ({ path = '.' }, place) => readSubjects(path, place),
    async execute(args, { workingDirectory, withheld, signal }) {
      const matcher = matcherOf(args, regexLimitMs);
      const found: Found = { matches: [], searched: 0, passedOver: 0, walked: walkCounter() };
      try {
        for await (const name of filesBelow(workingDirectory, args, { withheld, signal }, found.walked)) {
          signal.throwIfAborted();
          await searchFile(workingDirectory, name, matcher, found, withheld !== undefined);
          if (found.matches.length >= MAX_MATCHES) break;
        }
      } finally {
        await matcher.close();
      }
      return report(found);
    },
  });
}

interface Found {
  matches: string[];
  searched: number;
  passedOver: number;
  walked: WalkCounter;
}

type Arguments = z.infer<typeof parameters>;

function matcherOf({ pattern, regex = false, ignoreCase = false }: Arguments, limitMs: number): LineMatcher {
  return regex ? regexMatcher(pattern, ignoreCase, limitMs) : literalMatcher(pattern, ignoreCase);
}

async function* filesBelow(
  workingDirectory: string,
  { path = '.', include = '*', hidden = false }: Arguments,
  limits: Pick<Walk, 'withheld' | 'signal'>,
  counter: WalkCounter,
): AsyncGenerator<string, void> {
  const start = await findRealPath(workingDirectory, path);
  if (!(await lstat(start.path)).isDirectory()) {
    yield start.name;
    return;
  }
  for await (const entry of walkFolder(workingDirectory, path, { depth: DEEPEST, hidden, ...limits }, counter)) {
    if (entry.kind === 'file' && matchName(include, basename(entry.name))) yield entry.name;
  }
}

async function searchFile(
  workingDirectory: string,
  name: string,
  matcher: LineMatcher,
  found: Found,
  oneNameOnly: boolean,
): Promise<void> {
  const text = await readText(workingDirectory, name, oneNameOnly);
  if (text === undefined) {
    found.passedOver += 1;
    return;
  }
  found.searched += 1;
  const lines = text.split('\n').map((line) => line.slice(0, LONGEST_LINE));
  for (const index of await matcher.matching(lines)) {
    if (found.matches.length >= MAX_MATCHES) return;
    const line = lines[index] ?? '';
    const shown = line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}… (truncated)` : line;
    found.matches.push(`${name}:${index + 1}: ${shown.trimEnd()}`);
  }
}

/** Undefined if the file is binary, too large or unreadable, or may be another name for a file that a rule withholds. */
async function readText(workingDirectory: string, name: string, oneNameOnly: boolean): Promise<string | undefined> {
  const opened = await openFile(workingDirectory, name).catch(() => undefined);
  if (opened === undefined) return undefined;
  try {
    if (opened.stats.size > MAX_FILE_BYTES || (oneNameOnly && opened.stats.nlink > 1)) return undefined;
    const bytes = Buffer.alloc(opened.stats.size);
    // Don't use `readFile`, which would keep reading a file that grows.
    const { bytesRead } = await opened.handle.read(bytes, 0, bytes.length, 0);
    const read = bytes.subarray(0, bytesRead);
    return looksBinary(read) ? undefined : read.toString('utf8');
  } finally {
    await opened.handle.close();
  }
}

function report({ matches, searched, passedOver, walked }: Found): object {
  const notes = [
    ...(matches.length >= MAX_MATCHES ? [`only the first ${MAX_MATCHES} matches are shown; there may be more`] : []),
    ...(passedOver > 0
      ? [
          `${passedOver === 1 ? '1 binary, large or unreadable file was' : `${passedOver} binary, large or unreadable files were`} skipped`,
        ]
      : []),
    ...noteOfWithheld(walked),
  ];
  return { matches, searched, ...(notes.length === 0 ? {} : { note: notes.join('; ') }) };
}
