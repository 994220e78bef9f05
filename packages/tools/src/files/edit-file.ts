import { defineTool, type Tool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';
import { z } from 'zod';
import { checkSigned, diffOf, fingerprintOf } from './change.js';
import { lockFolder, type ProcessLock } from './lock-folder.js';
import { lookAtTarget, replaceFile, type Target } from './open-target.js';
import { lookForOtherNames, pathArgument, writesInside, writeSubjects } from './path-argument.js';

const text = z.string().max(8 * 1024 * 1024);

const parameters = z
  .strictObject({
    path: pathArgument.describe('A text file in the working folder.'),
    oldText: text.min(1).describe('Text that is in the file exactly once, blanks and line ends included.'),
    newText: text.describe('What stands there instead.'),
  })
  .refine(({ oldText, newText }) => oldText !== newText, { path: ['newText'], message: 'is the same as oldText' });

type Edit = z.infer<typeof parameters>;

/** Replaces one passage of a file. An edit that does not fit fails before anybody is asked (T11). */
export function editFile(lock?: ProcessLock): Tool {
  return defineTool({
    name: 'edit_file',
    description: 'Replaces one passage of a text file in the working folder. The old text must be in it exactly once.',
    parameters,
    sandbox: () => inProcess('none'),
    approval: { required: true, message: 'Change {path}' },
    subjects: ({ path }, place) => writeSubjects(path, place),
    look: ({ path }, place) => lookForOtherNames(path, place, 'write'),
    contained: ({ path }, place) => writesInside(path, place),
    async fingerprint(edit, { workingDirectory }) {
      const { target } = await applyEdit(workingDirectory, edit);
      return fingerprintOf(target);
    },
    async preview(edit, { workingDirectory }) {
      const { target, content } = await applyEdit(workingDirectory, edit);
      return diffOf(target, content);
    },
    async execute(edit, { workingDirectory, signal, fingerprint }) {
      return await lockFolder(workingDirectory, lock, async () => {
        const { target, content } = await applyEdit(workingDirectory, edit);
        checkSigned(target, fingerprint);
        signal.throwIfAborted();
        await replaceFile(workingDirectory, target, content);
        return { path: target.name, diff: diffOf(target, content).text };
      });
    },
  });
}

async function applyEdit(
  workingDirectory: string,
  { path, oldText, newText }: Edit,
): Promise<{ target: Target; content: string }> {
  const target = await lookAtTarget(workingDirectory, path);
  const { name, old } = target;
  if (old === undefined) throw new Error(`"${name}" does not exist; write_file makes a new file`);
  const before = decode(old.bytes, name);
  const at = before.indexOf(oldText);
  if (at < 0) throw new Error(`the old text is not in "${name}"${hint(before, oldText)}`);
  const again = before.indexOf(oldText, at + 1);
  if (again >= 0) {
    const lines = `lines ${lineAt(before, at)} and ${lineAt(before, again)}`;
    throw new Error(`the old text is in "${name}" more than once (${lines}); take in more of what is around it`);
  }
  return { target, content: before.slice(0, at) + newText + before.slice(at + oldText.length) };
}

/** Written back, what could not be read would be damaged. */
function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error(`"${name}" is no UTF-8 text and can't be edited`, { cause: error });
  }
}

function hint(before: string, oldText: string): string {
  if (before.includes('\r\n') && before.replaceAll('\r\n', '\n').includes(oldText))
    return '; its lines end with \\r\\n';
  if (squeezed(before).includes(squeezed(oldText))) return '; it is there with other blanks or line ends';
  return '; read the file again';
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
