import type { ToolPlace } from '@countersign/core/ports';
import { ONLY_TITLE, type Preview, type Subject } from '@countersign/protocol';
import { z } from 'zod';
import { unifiedDiff } from '@countersign/changes';
import type { KnownTool } from './known-tools.js';
import { pathSubjects, type Arguments, type Touched } from './touched-by.js';

/** Nobody can tell from a title what a call does, so each one needs approval. */
export const TITLE_ONLY: Subject = { kind: 'dynamic', why: { code: 'title-only' }, always: true };

const shownSchema = z.object({
  paths: z.array(z.string()).optional(),
  changes: z.array(z.object({ path: z.string(), old: z.string().optional(), new: z.string() })).optional(),
});

/** `mixed`: a title beside other arguments. No agent of ours sends that, so nothing that it shows replaces the arguments. */
export function titleIn(args: Arguments): 'none' | 'only' | 'mixed' {
  if (!(ONLY_TITLE in args)) return 'none';
  return Object.keys(args).every((name) => SHOWN.has(name)) ? 'only' : 'mixed';
}

const SHOWN: ReadonlySet<string> = new Set([ONLY_TITLE, 'paths', 'changes']);

/** A call whose agent sent only a title (EXT3). Deny and ask rules apply to the paths that it shows. */
export function touchedByTitle(known: KnownTool, args: Arguments, place: ToolPlace): Touched {
  const shown = shownSchema.safeParse(args).data ?? {};
  const paths = [...(shown.paths ?? []), ...(shown.changes ?? []).map(({ path }) => path)].filter(
    (path) => path !== '',
  );
  const tool = standsFor(known);
  const isFile = tool !== 'shell_cmd' && tool !== 'web_fetch';
  const named = isFile ? paths.flatMap((path) => pathSubjects(tool, path, place, 'path')) : [];
  const own = [...named, TITLE_ONLY];
  return { own, standIn: { tool, arguments: { path: paths[0] }, subjects: own } };
}

function standsFor(known: KnownTool) {
  switch (known.does) {
    case 'run':
      return 'shell_cmd';
    case 'fetch':
      return 'web_fetch';
    case 'patch':
      return 'edit_file';
    case 'read-many':
      return 'read_file';
    case 'read':
    case 'write':
    case 'unclear':
      return known.as;
  }
}

/** The change that a call with only a title shows. */
export function previewOf(args: Arguments): Preview | undefined {
  const changes = titleIn(args) === 'only' ? (shownSchema.safeParse(args).data?.changes ?? []) : [];
  if (changes.length === 0) return undefined;
  const diffs = changes.map(({ path, old, new: after }) => unifiedDiff(path, old, after));
  return { text: diffs.map(({ text }) => text).join('\n'), truncated: diffs.some(({ truncated }) => truncated) };
}
