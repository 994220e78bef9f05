import { defineTool, type TypedTool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';
import { z } from 'zod';
import { pathArgument, readSubjects } from './path-argument.js';
import { noteOfWithheld, walkCounter, walkFolder, type WalkedEntry } from './walk-folder.js';

const MAX_LISTED = 1_000;

const parameters = z.strictObject({
  path: pathArgument.exactOptional().describe('A folder in the working folder. Default: the working folder itself.'),
  depth: z.int().min(1).max(10).exactOptional().describe('How many levels to show. Default: 1.'),
  hidden: z.boolean().exactOptional().describe('Whether to show names that start with a dot.'),
});

/** Lists files in the working folder. */
export function listFiles(): TypedTool<'list_files', z.input<typeof parameters>> {
  return defineTool({
    name: 'list_files',
    description: 'Lists a folder in the working folder. Folders end with /, links with @; links are not followed.',
    parameters,
    sandbox: () => inProcess('none'),
    readOnly: true,
    idempotent: true,
    subjects: ({ path = '.' }, place) => readSubjects(path, place),
    async execute({ path = '.', depth = 1, hidden = false }, { workingDirectory, withheld, signal }) {
      const entries: string[] = [];
      const counter = walkCounter();
      const notes = (): readonly string[] => noteOfWithheld(counter);
      for await (const entry of walkFolder(workingDirectory, path, { depth, hidden, withheld, signal }, counter)) {
        if (entries.length === MAX_LISTED) {
          const more = `there are more; only the first ${MAX_LISTED} are listed`;
          return { path, entries, note: [more, ...notes()].join('; ') };
        }
        entries.push(entry.name + SIGN[entry.kind]);
      }
      return { path, entries, ...(notes().length === 0 ? {} : { note: notes().join('; ') }) };
    },
  });
}

const SIGN: Readonly<Record<WalkedEntry['kind'], string>> = {
  file: '',
  folder: '/',
  link: '@',
  other: ' (not a file)',
};
