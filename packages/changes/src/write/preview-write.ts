import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EffectPreview } from '@countersign/core/ports';
import type { ChangedFile, Preview } from '@countersign/protocol';
import { hashEffect, markRunsLater } from '../effect/effect-of.js';
import type { Put } from '../effect/list-changes.js';
import { looksBinary } from '../effect/looks-binary.js';
import { type Diff, unifiedDiff } from '../effect/unified-diff.js';
import { parentsOf } from '../files/parents-of.js';
import { NEW_FILE_MODE, type FileWrite } from './file-write.js';

/** Of a binary file, there are no lines. */
export function diffOfWrite({
  path: name,
  old,
  content,
}: Pick<FileWrite, 'path' | 'old' | 'content'>): Preview & Partial<Pick<Diff, 'lines'>> {
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

/** What a write will do, which is known without running anything (CHANGE7). */
export async function previewWrite(write: FileWrite): Promise<EffectPreview> {
  const { path: name, old, content } = write;
  const { lines, ...preview } = diffOfWrite(write);
  const folders = await missingFolders(write);
  const bytes = Buffer.byteLength(content);
  const { uid, gid, mode } = old ?? { uid: -1, gid: -1, mode: NEW_FILE_MODE };
  const was = old === undefined ? '' : hashOf(old.bytes);
  const same = { do: 'put', target: '', sameAs: '' } as const;
  const changes: Put[] = [
    ...folders.map((folder): Put => ({ ...same, ...NEW_FOLDER, path: folder })),
    { ...same, path: name, kind: 'file', mode, uid, gid, bytes, hash: hashOf(content), was },
  ];
  const isSame = old?.bytes.equals(Buffer.from(content)) === true;
  const found: ChangedFile[] = [
    ...folders.map((folder): ChangedFile => ({ path: folder, change: 'added', kind: 'folder' })),
    ...(isSame ? [] : [changedFile(name, old === undefined, bytes, { lines, text: preview.text })]),
  ];
  const files = found.map((file) => markRunsLater(file, write.workingDirectory));
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
  const diff = lines === undefined ? ({ noDiff: 'binary' } as const) : { diff: text, lines };
  return { path, change: isNew ? 'added' : 'changed', kind: 'file', bytes, ...diff };
}

const NEW_FOLDER = { kind: 'folder', mode: 0o777, uid: -1, gid: -1, bytes: 0, hash: '', was: '' } as const;

/** The parent folders that a write creates. */
async function missingFolders({ workingDirectory, path }: FileWrite): Promise<string[]> {
  const folders = parentsOf(path);
  const exist = await Promise.all(
    folders.map((folder) =>
      lstat(join(workingDirectory, folder)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return folders.filter((_, index) => exist[index] === false);
}

function hashOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
