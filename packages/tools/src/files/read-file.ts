import { defineTool, type TypedTool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';
import { z } from 'zod';
import { openFile } from './open-inside.js';
import { findHardLinks, pathArgument, readSubjects } from './path-argument.js';
import { readLines } from './read-lines.js';

const parameters = z.strictObject({
  path: pathArgument.describe('A file in the working folder.'),
  offset: z.int().min(1).exactOptional().describe('The first line to read, starting at 1.'),
  limit: z.int().min(1).max(5_000).exactOptional().describe('How many lines to read. Default: 2000.'),
});

/** Returns lines of a text file in the working folder verbatim: a rewrite must not lose the last line feed. Reads no more than it needs. */
export function readFile(): TypedTool<'read_file', z.input<typeof parameters>> {
  return defineTool({
    name: 'read_file',
    description: 'Reads a text file in the working folder, or some lines of it. A note says if there is more.',
    parameters,
    sandbox: () => inProcess('none'),
    readOnly: true,
    idempotent: true,
    subjects: ({ path }, place) => readSubjects(path, place),
    inspect: ({ path }, place) => findHardLinks(path, place, 'read'),
    async execute({ path, offset = 1, limit = 2_000 }, { workingDirectory, signal }) {
      const { handle, stats, name } = await openFile(workingDirectory, path);
      try {
        const read = await readLines(handle, { offset, limit, signal });
        switch (read.kind) {
          case 'binary':
            return { path: name, size: stats.size, note: 'this is a binary file, so its content is not shown' };
          case 'too-far': {
            const note = `line ${offset} is beyond the first ${read.scanned} bytes of a file of ${stats.size} bytes; use grep to search it`;
            return { path: name, size: stats.size, note };
          }
          case 'lines': {
            const { lines, notes } = read;
            const told = notes.length === 0 ? {} : { note: notes.join('; ') };
            const range = lines.length === 0 ? {} : { firstLine: offset, lastLine: offset + lines.length - 1 };
            return { path: name, size: stats.size, ...range, content: lines.join(''), ...told };
          }
        }
      } finally {
        await handle.close();
      }
    },
  });
}
