import { ONLY_TITLE } from '@countersign/protocol';
import { z } from 'zod';
import { applyDiff } from './apply-diff.js';
import { editNotebook } from './edit-notebook.js';
import { createFile, replaceTexts, withLineBreaksOf, type NewText, type Replacement } from './replace-texts.js';

/** What a program would write to one file. `before`: its text now, or undefined if it doesn't exist. */
export interface Edit {
  readonly path: string;
  /** Set if the old content decides what is written, so that it must be text. */
  readonly needsText: boolean;
  readonly apply: (before: string | undefined) => NewText;
}

const text = z.string();
const flag = z.boolean().optional();
const claudeEdit = { old_string: text, new_string: text, replace_all: flag };

/** By the program's own name of the tool. An argument that isn't listed may change what the call does, so nothing is predicted then. */
const EDITS: ReadonlyMap<string, (args: unknown) => readonly Edit[] | undefined> = new Map([
  // Claude Code 2.1.326.
  reading('Write', { file_path: text, content: text }, ({ file_path, content }) => [write(file_path, content)]),
  reading('Edit', { file_path: text, ...claudeEdit }, ({ file_path, ...edit }) => [
    change(file_path, [claudeReplacement(edit)]),
  ]),
  reading(
    'MultiEdit',
    { file_path: text, edits: z.array(z.strictObject(claudeEdit)).min(1) },
    ({ file_path, edits }) => [change(file_path, edits.map(claudeReplacement))],
  ),
  reading(
    'NotebookEdit',
    {
      notebook_path: text,
      cell_id: text.optional(),
      cell_type: z.enum(['code', 'markdown']).optional(),
      edit_mode: z.enum(['replace', 'insert', 'delete']).default('replace'),
      new_source: text,
    },
    ({ notebook_path, ...edit }) => [
      {
        path: notebook_path,
        needsText: true,
        apply: (before) => (before === undefined ? { why: 'no-file' } : editNotebook(before, edit)),
      },
    ],
  ),
  // Gemini CLI 0.61.0, which keeps how the lines of a file end, and whether its last line does.
  reading('write_file', { file_path: text, content: text }, ({ file_path, content }) => [
    {
      path: file_path,
      needsText: true,
      apply: (before) => ({ text: withLineBreaksOf(before ?? '', content) }),
    },
  ]),
  reading(
    'replace',
    {
      file_path: text,
      instruction: text.optional(),
      old_string: text,
      new_string: text,
      expected_replacements: z.number().int().min(1).optional(),
      allow_multiple: flag,
    },
    ({ file_path, old_string: before, new_string: after, expected_replacements: count, allow_multiple }) => [
      change(file_path, [
        {
          ...{ before, after, keepsEnd: true },
          ...(allow_multiple === true ? { all: true } : count === undefined ? {} : { all: true, count }),
        },
      ]),
    ],
  ),
  // opencode 1.18.18, and agents that name their tools by the kinds of ACP. An empty `oldString` replaces the whole file.
  reading('write', { filePath: text, content: text }, ({ filePath, content }) => [write(filePath, content)]),
  reading(
    'edit',
    { filePath: text, oldString: text, newString: text, replaceAll: flag },
    ({ filePath, oldString: before, newString: after, replaceAll }) => [
      before === '' ? write(filePath, after) : change(filePath, [{ before, after, all: replaceAll === true }]),
    ],
  ),
]);

/** How opencode asks for `edit` and `write` over ACP. */
const DIFF = reading('diff', { filepath: text, diff: text }, ({ filepath, diff }) => [
  { path: filepath, needsText: true, apply: (before) => applyDiff(before, diff) },
])[1];

/** The diffs that an ACP agent shows with a title. Some show the whole file, and others only what they replace. */
const SHOWN = reading(
  ONLY_TITLE,
  {
    [ONLY_TITLE]: z.unknown(),
    paths: z.array(text).optional(),
    changes: z
      .array(z.object({ path: text, old: text.optional(), new: text }))
      .min(1)
      .max(100),
  },
  ({ changes }) =>
    changes.map(({ path, old, new: after }) => {
      if (old === undefined) return { path, needsText: false, apply: (before) => createFile(before, after) };
      const { apply } = change(path, [{ before: old, after, all: false }]);
      return { path, needsText: true, apply: (before) => (before === old ? { text: after } : apply(before)) };
    }),
)[1];

/**
 * What a call of a coding agent's tool would write, from its own name of the tool and its arguments. `unclear` if they don't tell, and undefined if the
 * tool writes no file. Reads nothing.
 */
export function editsOf(own: string, args: object): readonly Edit[] | 'unclear' | undefined {
  const known = 'diff' in args && (own === 'edit' || own === 'write') ? DIFF : EDITS.get(own);
  const read = ONLY_TITLE in args ? SHOWN : known;
  if (read === undefined || (ONLY_TITLE in args && !('changes' in args))) return undefined;
  const edits = read(args) ?? [];
  const paths = new Set(edits.map(({ path }) => path));
  // Two changes of one file, or a path that programs read in different ways.
  const isClear =
    edits.length > 0 && paths.size === edits.length && !edits.some(({ path }) => /^~|^\s|\s$|^$|\0/.test(path));
  return isClear ? edits : 'unclear';
}

function reading<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  toEdits: (args: z.output<z.ZodObject<Shape, z.core.$strict>>) => readonly Edit[],
): [string, (args: unknown) => readonly Edit[] | undefined] {
  const schema = z.strictObject(shape);
  return [
    name,
    (args) => {
      const parsed = schema.safeParse(args);
      return parsed.success ? toEdits(parsed.data) : undefined;
    },
  ];
}

function write(path: string, content: string): Edit {
  return { path, needsText: false, apply: () => ({ text: content }) };
}

function change(path: string, replacements: readonly Replacement[]): Edit {
  return { path, needsText: true, apply: (before) => replaceTexts(before, replacements) };
}

/** Claude Code removes the line break after a removed text, so that no empty line is left. */
function claudeReplacement({
  old_string: before,
  new_string: after,
  replace_all,
}: {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}): Replacement {
  return { before, after, all: replace_all === true, takesLineBreak: true };
}
