import { defineTool, type TypedTool } from '@countersign/core/ports';
import { z } from 'zod';
import { fileTool, type FileOptions } from './file-changes.js';
import { inspectTarget } from './open-target.js';
import { createsInside, pathArgument } from './path-argument.js';

const parameters = z.strictObject({
  path: pathArgument.describe('A file in the working folder. Missing parent folders are created.'),
  content: z
    .string()
    .max(8 * 1024 * 1024)
    .describe('The whole new content of the file.'),
});

type Write = z.infer<typeof parameters>;

/** Writes a whole file in the working folder. */
export function writeFile(options: FileOptions = {}): TypedTool<'write_file', z.input<typeof parameters>> {
  return defineTool({
    name: 'write_file',
    description: 'Creates or replaces a file in the working folder.',
    parameters,
    approval: { required: true, message: 'Write {path}' },
    contained: ({ path }, place) => createsInside(path, place),
    ...fileTool(
      options,
      async ({ path, content }: Write, workingDirectory, mayCreate) => ({
        target: await inspectTarget(workingDirectory, path, mayCreate),
        content,
      }),
      ({ target: { name, old }, content }) => ({
        path: name,
        created: old === undefined,
        bytes: Buffer.byteLength(content),
      }),
    ),
  });
}
