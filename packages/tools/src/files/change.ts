import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { ToolFailure, type EffectPreview } from '@countersign/core/ports';
import type { ChangedFile, Preview } from '@countersign/protocol';
import { type Diff, type Put, hashEffect, looksBinary, unifiedDiff } from '@countersign/changes';
import { foldersTo, NEW_FILE_MODE, type Target } from './open-target.js';

/** What an approval covers besides the arguments (A7): the real path of the target and its current content. */
export function fingerprintOf({ path, old }: Target): string {
  const content = old === undefined ? 'absent' : hashOf(old.bytes);
  return JSON.stringify([path, content]);
}

/** Refuses the write if the target changed after the call was approved. */
export function checkUnchanged(target: Target, signed: string | undefined): void {
  if (signed === undefined || fingerprintOf(target) === signed) return;
  const why = `"${target.name}" changed after this call was approved, so nothing was written. Read it and try again`;
  throw new ToolFailure(why, undefined, { conflict: true });
}

export function diffOf({ name, old }: Target, content: string): Preview & Partial<Pick<Diff, 'lines'>> {
  if (old !== undefined && isReplacedAsBytes(old.bytes, content)) {
    const text = `--- a/${name}\n+++ b/${name}\n(a binary file of ${old.bytes.length} bytes is replaced by ${Buffer.byteLength(content)} bytes of text)`;
    return { text, truncated: true };
  }
  return unifiedDiff(name, old?.bytes.toString('utf8'), content);
}

/** Bytes that aren't text can't be compared as lines: different ones may look the same. */
function isReplacedAsBytes(old: Buffer, content: string): boolean {
  return looksBinary(old) || (old.toString('utf8') === content && !old.equals(Buffer.from(content)));
}

/** What a write will do, which is known without running anything (A52.9). */
export async function previewOf(workingDirectory: string, target: Target, content: string): Promise<EffectPreview> {
  const { path, old } = target;
  const { lines, ...preview } = diffOf(target, content);
  const folders = await missingFolders(workingDirectory, path);
  const name = relative(workingDirectory, path);
  const bytes = Buffer.byteLength(content);
  const { uid, gid, mode } = old ?? { uid: -1, gid: -1, mode: NEW_FILE_MODE };
  const was = old === undefined ? '' : hashOf(old.bytes);
  const same = { do: 'put', target: '', sameAs: '' } as const;
  const changes: Put[] = [
    ...folders.map((folder): Put => ({ ...same, ...NEW_FOLDER, path: folder })),
    { ...same, path: name, kind: 'file', mode, uid, gid, bytes, hash: hashOf(content), was },
  ];
  const isSame = old?.bytes.equals(Buffer.from(content)) === true;
  const files: ChangedFile[] = [
    ...folders.map((folder): ChangedFile => ({ path: folder, change: 'added', kind: 'folder' })),
    ...(isSame ? [] : [changedFile(name, old === undefined, bytes, { lines, text: preview.text })]),
  ];
  const result = { exitCode: 0, stdout: '', stderr: '' };
  const effectHash = hashEffect(changes, { leftOut: [], result });
  return {
    ...preview,
    effect: { files, leftOut: [], effectHash, exitCode: 0, output: '', truncated: preview.truncated },
  };
}

function changedFile(
  path: string,
  isNew: boolean,
  bytes: number,
  { lines, text }: { lines: Diff['lines'] | undefined; text: string },
): ChangedFile {
  const diff = lines === undefined ? {} : { diff: text, lines };
  return { path, change: isNew ? 'added' : 'changed', kind: 'file', bytes, ...diff };
}

const NEW_FOLDER = { kind: 'folder', mode: 0o777, uid: -1, gid: -1, bytes: 0, hash: '', was: '' } as const;

/** The parent folders that a write creates, relative to the working folder. */
async function missingFolders(workingDirectory: string, path: string): Promise<string[]> {
  const folders = foldersTo(workingDirectory, dirname(path));
  const exist = await Promise.all(
    folders.map((folder) =>
      lstat(folder).then(
        () => true,
        () => false,
      ),
    ),
  );
  return folders.filter((_, index) => exist[index] === false).map((folder) => relative(workingDirectory, folder));
}

function hashOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
