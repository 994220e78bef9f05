import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutSecrets } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { errors } from '../words/errors.js';

/**
 * Opens the text in the person's editor and passes the result to `use`. Undefined if unchanged. If the result can't be used, the file is kept.
 */
export async function editText<T>(
  context: CommandContext,
  text: string,
  name: string,
  use: (edited: string) => Promise<T>,
): Promise<T | undefined> {
  const { env, stdin } = context.console;
  const editor = editorIn(env);
  if (editor === undefined) {
    throw new CommandError(errors.noEditor);
  }
  // A private folder: in a shared one, another user could replace the file.
  const folder = await mkdtemp(join(tmpdir(), 'countersign-edit-'));
  const file = join(folder, name);
  let isKept = false;
  try {
    await writeFile(file, text, { mode: 0o600 });
    stdin.pause();
    // Uses a shell, because EDITOR may have arguments, such as `code --wait`.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
      stdio: 'inherit',
      env: withoutSecrets(env),
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new CommandError(errors.editorFailed(code), 1);
    const edited = await readFile(file, 'utf8');
    if (edited === text) return undefined;
    isKept = true;
    const used = await use(edited);
    isKept = false;
    return used;
  } finally {
    if (isKept) context.note(errors.notSaved(file));
    else await rm(folder, { recursive: true, force: true });
  }
}

/** Like `editText`, for a JSON document. */
export async function editJson<T>(
  context: CommandContext,
  value: unknown,
  name: string,
  use: (edited: unknown) => Promise<T>,
): Promise<T | undefined> {
  return await editText(context, `${JSON.stringify(value, null, 2)}\n`, name, async (text) => await use(parse(text)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(errors.invalidJson(why));
  }
}

export function hasEditor(env: NodeJS.ProcessEnv): boolean {
  return editorIn(env) !== undefined;
}

function editorIn(env: NodeJS.ProcessEnv): string | undefined {
  return nonEmpty(env['VISUAL']) ?? nonEmpty(env['EDITOR']);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
