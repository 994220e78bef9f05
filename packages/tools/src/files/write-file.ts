import { defineTool, type ToolPlace, type TypedTool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';
import { z } from 'zod';
import { checkUnchanged, fingerprintOf, previewOf } from './change.js';
import { fileChanges, type FileOptions } from './file-changes.js';
import { inspectTarget } from './open-target.js';
import { createsInside, findHardLinks, pathArgument, writeSubjects } from './path-argument.js';

const parameters = z.strictObject({
  path: pathArgument.describe('A file in the working folder. Missing parent folders are created.'),
  content: z
    .string()
    .max(8 * 1024 * 1024)
    .describe('The whole new content of the file.'),
});

/** Writes a whole file in the working folder. The approval covers the content it replaces (A7). */
export function writeFile(options: FileOptions = {}): TypedTool<'write_file', z.input<typeof parameters>> {
  const changes = fileChanges(options);
  return defineTool({
    name: 'write_file',
    description: 'Creates or replaces a file in the working folder.',
    parameters,
    sandbox: () => inProcess('none'),
    approval: { required: true, message: 'Write {path}' },
    subjects: ({ path }, place) => writeSubjects(path, place),
    inspect: ({ path }, place) => findHardLinks(path, place, 'write'),
    contained: ({ path }, place) => createsInside(path, place),
    fingerprint: ({ path }, place) => fingerprintAt(path, place),
    hold: ({ path }, context) => changes.hold(context, () => fingerprintAt(path, context)),
    preview: async ({ path, content }, { workingDirectory }) =>
      previewOf(workingDirectory, await inspectTarget(workingDirectory, path), content),
    undos: changes.undos,
    async execute({ path, content }, context) {
      const { workingDirectory, signal, fingerprint, mayCreate } = context;
      return await changes.inFolder(context, async () => {
        const target = await inspectTarget(workingDirectory, path, mayCreate);
        checkUnchanged(target, fingerprint);
        signal.throwIfAborted();
        await changes.replace(context, target, content);
        return { path: target.name, created: target.old === undefined, bytes: Buffer.byteLength(content) };
      });
    },
  });
}

async function fingerprintAt(path: string, { workingDirectory }: Pick<ToolPlace, 'workingDirectory'>): Promise<string> {
  return fingerprintOf(await inspectTarget(workingDirectory, path));
}
