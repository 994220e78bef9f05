import { defineTool, type Tool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';
import { z } from 'zod';
import { checkSigned, diffOf, fingerprintOf } from './change.js';
import { lockFolder, type ProcessLock } from './lock-folder.js';
import { lookAtTarget, replaceFile } from './open-target.js';
import { createsInside, lookForOtherNames, pathArgument, writeSubjects } from './path-argument.js';

const parameters = z.strictObject({
  path: pathArgument.describe('A file in the working folder. Folders on the way are made.'),
  content: z
    .string()
    .max(8 * 1024 * 1024)
    .describe('All that the file will hold.'),
});

/** Writes a whole file in the working folder. The signature covers what it replaces (A7). */
export function writeFile(lock?: ProcessLock): Tool {
  return defineTool({
    name: 'write_file',
    description: 'Writes a file in the working folder, new or in place of what is there.',
    parameters,
    sandbox: () => inProcess('none'),
    approval: { required: true, message: 'Write {path}' },
    subjects: ({ path }, place) => writeSubjects(path, place),
    look: ({ path }, place) => lookForOtherNames(path, place, 'write'),
    contained: ({ path }, place) => createsInside(path, place),
    fingerprint: async ({ path }, { workingDirectory }) => fingerprintOf(await lookAtTarget(workingDirectory, path)),
    preview: async ({ path, content }, { workingDirectory }) =>
      diffOf(await lookAtTarget(workingDirectory, path), content),
    async execute({ path, content }, { workingDirectory, signal, fingerprint, mayCreate }) {
      return await lockFolder(workingDirectory, lock, async () => {
        const target = await lookAtTarget(workingDirectory, path, mayCreate);
        checkSigned(target, fingerprint);
        signal.throwIfAborted();
        await replaceFile(workingDirectory, target, content);
        return { path: target.name, created: target.old === undefined, bytes: Buffer.byteLength(content) };
      });
    },
  });
}
