import { defineTool, type TypedTool } from '@countersign/core/ports';
import { z } from 'zod';
import { diffOf, fileTool, type FileOptions, type Planned } from './file-changes.js';
import { inspectTarget } from './open-target.js';
import { pathArgument, writesInside } from './path-argument.js';

const text = z.string().max(8 * 1024 * 1024);

const parameters = z
  .strictObject({
    path: pathArgument.describe('A text file in the working folder.'),
    oldText: text.min(1).describe('Text that occurs in the file exactly once, including whitespace and line endings.'),
    newText: text.describe('The replacement text.'),
  })
  .refine(({ oldText, newText }) => oldText !== newText, { path: ['newText'], message: 'is the same as oldText' });

type Edit = z.infer<typeof parameters>;

/** Replaces one passage in a file. An edit that can't be applied fails before anyone is asked to approve it (TURN11). */
export function editFile(options: FileOptions = {}): TypedTool<'edit_file', z.input<typeof parameters>> {
  return defineTool({
    name: 'edit_file',
    description: 'Replaces one passage in a text file in the working folder. oldText must occur in it exactly once.',
    parameters,
    approval: { required: true, message: 'Change {path}' },
    contained: ({ path }, place) => writesInside(path, place),
    ...fileTool(options, planEdit, (planned) => ({ path: planned.target.name, diff: diffOf(planned) })),
  });
}

async function planEdit({ path, oldText, newText }: Edit, workingDirectory: string): Promise<Planned> {
  const target = await inspectTarget(workingDirectory, path);
  const { name, old } = target;
  if (old === undefined) throw new Error(`"${name}" does not exist; use write_file to create it`);
  const before = decode(old.bytes, name);
  const at = before.indexOf(oldText);
  if (at < 0) throw new Error(`oldText was not found in "${name}"${hint(before, oldText)}`);
  const again = before.indexOf(oldText, at + 1);
  if (again >= 0) {
    const lines = `lines ${lineAt(before, at)} and ${lineAt(before, again)}`;
    throw new Error(`oldText occurs in "${name}" more than once (${lines}); include more of the surrounding text`);
  }
  return { target, content: before.slice(0, at) + newText + before.slice(at + oldText.length) };
}

/** Rejects bytes that aren't valid UTF-8, which would be corrupted when written back. */
function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error(`"${name}" is not UTF-8 text and can't be edited`, { cause: error });
  }
}

function hint(before: string, oldText: string): string {
  if (before.includes('\r\n') && before.replaceAll('\r\n', '\n').includes(oldText))
    return '; its lines end with \\r\\n';
  if (squeezed(before).includes(squeezed(oldText))) return '; it occurs with different whitespace or line endings';
  return '; read the file again';
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
