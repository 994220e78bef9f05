import { relative, resolve } from 'node:path';
import { hashContent, isInside, previewWrite } from '@countersign/changes';
import type { PredictedChange, ToolPlace } from '@countersign/core/ports';
import type { ChangedFile, NoEffectReason } from '@countersign/protocol';
import { findTarget, type Target } from '../../files/open-target.js';
import { seenFrom } from '../../shell/predict-effect.js';
import type { Arguments } from '../touched-by.js';
import { editsOf, type Edit } from './edits-of.js';

/**
 * What a call of another program's tool would write, by the files as they are now (CHANGE9.6). Files are read within the bounds of our own file tools:
 * only in the world's folder, through no link, up to their size, and none that rules hide. Undefined if the tool writes no file.
 */
export async function predictEdits(
  own: string,
  args: Arguments,
  place: ToolPlace,
): Promise<PredictedChange | undefined> {
  // Without a prediction, people are asked all the same.
  return await predict(own, args, place).catch(() => unknown('unreadable'));
}

async function predict(own: string, args: Arguments, place: ToolPlace): Promise<PredictedChange | undefined> {
  const edits = editsOf(own, args);
  if (edits === undefined) return undefined;
  if (edits === 'unclear') return unknown('unclear');
  const seen: [string, string][] = [];
  const all: Written[] = [];
  for (const edit of edits) {
    const found = await readTarget(edit, place);
    if (typeof found === 'string') return unknown(found, [...seen, [edit.path, found]]);
    seen.push([found.path, found.old === undefined ? 'absent' : hashContent(found.old.bytes)]);
    const before = found.old === undefined ? undefined : textOf(found.old.bytes);
    if (before === null && edit.needsText) return unknown('unreadable', seen);
    const after = edit.apply(before ?? undefined);
    if ('why' in after) return unknown(after.why, seen);
    all.push({ target: found, content: after.text });
  }
  return { fingerprint: JSON.stringify(seen), ...(await show(all, place)) };
}

interface Written {
  readonly target: Target;
  readonly content: string;
}

function unknown(reason: NoEffectReason, seen: readonly [string, string][] = []): PredictedChange {
  // Of an edit that doesn't apply, the approval covers that too.
  return { fingerprint: JSON.stringify([reason, ...seen]), noEffect: { reason } };
}

async function readTarget({ path }: Edit, place: ToolPlace): Promise<Target | NoEffectReason> {
  const { worldDirectory: world = place.workingDirectory, workingDirectory: folder, realDirectory = folder } = place;
  if (place.isFolderUnknown === true || !isInside(world, realDirectory)) return 'other-folder';
  // The program may name its folder by a link.
  const named = resolve(folder, path);
  const real = isInside(folder, named) ? resolve(realDirectory, relative(folder, named)) : named;
  if (!isInside(world, real)) return 'other-folder';
  if (place.isHidden?.(real) === true) return 'hidden';
  return await findTarget(world, real).catch(() => 'unreadable' as const);
}

/** Null if the bytes aren't text, which no program could edit without damage. */
function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function show(
  all: readonly Written[],
  { worldDirectory, workingDirectory, realDirectory = workingDirectory }: ToolPlace,
): Promise<Pick<Extract<PredictedChange, { prediction: object }>, 'prediction' | 'preview'>> {
  const workingFolder = worldDirectory ?? workingDirectory;
  const files = new Map<string, ChangedFile>();
  const texts: string[] = [];
  let isTruncated = false;
  for (const { target, content } of all) {
    const path = relative(workingFolder, target.path);
    const { effect, text, truncated } = await previewWrite({
      ...{ workingDirectory: workingFolder, path, old: target.old, content },
    });
    for (const file of effect.files) files.set(file.path, file);
    texts.push(text);
    isTruncated ||= truncated;
  }
  const changes = { files: [...files.values()], leftOut: [], exitCode: 0, output: '', truncated: isTruncated };
  const inside = relative(workingFolder, realDirectory);
  return {
    preview: { text: texts.join('\n'), truncated: isTruncated },
    prediction: { ...seenFrom(inside, changes), ofFiles: true },
  };
}
