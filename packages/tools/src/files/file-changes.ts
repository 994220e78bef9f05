import { isAbsolute, join, relative } from 'node:path';
import {
  diffOfWrite,
  findUndoPlace,
  holdFolder,
  keepWrite,
  keptUndos,
  lockFolder,
  previewWrite,
  type FileWrite,
  type KeptUndos,
  type ProcessLock,
  type UndoLimits,
} from '@countersign/changes';
import {
  ToolFailure,
  type ToolContext,
  type StandardSchema,
  type ToolInput,
  type ToolPlace,
} from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';
import { refuseOwnFile } from './find-real-path.js';
import { fingerprintOf, replaceFile, type Target } from './open-target.js';
import { movePath } from '../sandbox/find-hidden.js';
import { absolutePath, findHardLinks, writeSubjects } from './path-argument.js';

/** Options for `writeFile` and `editFile`. */
export interface FileOptions {
  /** Where folders are locked, and where replaced files are kept. Default: a folder in the user's cache. */
  lock?: ProcessLock | undefined;
  /** Our home folder, store and policy. Tells apart servers that keep files in the same folder. */
  hide?: readonly string[];
  /** How long, and up to which total size, calls can be undone. Default: 7 days, 1 GiB in 200 calls. */
  undoLimits?: UndoLimits | undefined;
}

/** What a call is about to write. */
export interface Planned {
  readonly target: Target;
  readonly content: string;
}

interface KeptFiles {
  readonly place: ProcessLock;
  readonly undos: KeptUndos;
}

type Members = 'sandbox' | 'subjects' | 'inspect' | 'fingerprint' | 'hold' | 'preview' | 'draft' | 'undos' | 'execute';

/**
 * What all tools do that write one file. `plan` reads the target, and changes nothing. `resultOf` is what the model gets. The approval covers the
 * content that is replaced (CALL7).
 */
export function fileTool<Args extends { path: string }>(
  { lock, hide = [], undoLimits }: FileOptions,
  plan: (args: Args, workingDirectory: string, mayCreate?: ToolContext['mayCreate']) => Promise<Planned>,
  resultOf: (planned: Planned) => unknown,
): Pick<ToolInput<StandardSchema<unknown, Args>>, Members> {
  let found: Promise<KeptFiles | undefined> | undefined;
  const kept = (): Promise<KeptFiles | undefined> => (found ??= openKept());
  const openKept = async (): Promise<KeptFiles | undefined> => {
    const place = lock ?? (await findUndoPlace());
    return place === undefined ? undefined : { place, undos: keptUndos(place, hide.join('\n'), undoLimits) };
  };
  const fingerprint = async (args: Args, { workingDirectory }: Pick<ToolPlace, 'workingDirectory'>): Promise<string> =>
    fingerprintOf((await plan(args, workingDirectory)).target);
  return {
    sandbox: () => inProcess('none'),
    subjects: ({ path }, place) => writeSubjects(path, place),
    inspect: ({ path }, place) => findHardLinks(path, place, 'write'),
    fingerprint,
    async hold(args, context) {
      const hold = await holdFolder(context.workingDirectory, (await kept())?.place);
      if ((await fingerprint(args, context).catch(() => undefined)) === context.fingerprint) return hold;
      await hold.release();
      return undefined;
    },
    preview: async (args, { workingDirectory }) =>
      await previewWrite(writeOf(workingDirectory, await plan(args, workingDirectory))),
    async draft(args, { copy, workingDirectory, protectedPaths, signal }) {
      refuseOwnFile(absolutePath({ workingDirectory }, args.path), args.path);
      const path = isAbsolute(args.path) ? movePath(args.path, workingDirectory, copy) : args.path;
      const planned = await plan({ ...args, path }, copy);
      const write = writeOf(copy, planned);
      const target = join(workingDirectory, write.path);
      if (protectedPaths?.isProtected(target) === true) return { failed: `a rule protects ${write.path}` };
      signal.throwIfAborted();
      const { effect } = await previewWrite(write);
      await replaceFile(copy, planned.target, planned.content);
      const listed = (change: string): string[] =>
        effect.files.flatMap((file) => (file.change === change ? [file.path] : []));
      const paths = { added: listed('added'), changed: listed('changed'), removed: [], outward: [], leftOut: [] };
      return { effect, paths, result: resultOf(planned) };
    },
    undos: {
      preview: async (callId) => (await (await kept())?.undos.preview(callId)) ?? { kind: 'gone' },
      undo: async (callId, effectHash) => (await (await kept())?.undos.undo(callId, effectHash)) ?? { kind: 'gone' },
      list: async () => (await (await kept())?.undos.list()) ?? [],
    },
    async execute(args, { workingDirectory, invocationId, signal, fingerprint: signed, mayCreate, hold }) {
      const { place, undos } = (await kept()) ?? {};
      const write = async (): Promise<unknown> => {
        const planned = await plan(args, workingDirectory, mayCreate);
        const { target, content } = planned;
        checkUnchanged(target, signed);
        signal.throwIfAborted();
        await keepWrite(undos, invocationId, writeOf(workingDirectory, planned), () =>
          replaceFile(workingDirectory, target, content),
        );
        return resultOf(planned);
      };
      return await lockFolder(workingDirectory, place, write, hold);
    },
  };
}

/** The change as `diff -u` shows it. */
export function diffOf({ target, content }: Planned): string {
  return diffOfWrite({ path: target.name, old: target.old, content }).text;
}

function writeOf(workingDirectory: string, { target, content }: Planned): FileWrite {
  return { workingDirectory, path: relative(workingDirectory, target.path), old: target.old, content };
}

/** Refuses the write if the target changed after the call was approved. */
function checkUnchanged(target: Target, signed: string | undefined): void {
  if (signed === undefined || fingerprintOf(target) === signed) return;
  const why = `"${target.name}" changed after this call was approved, so nothing was written. Read it and try again`;
  throw new ToolFailure(why, undefined, { conflict: true });
}
