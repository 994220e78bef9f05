import { EXTERNAL_VERBS } from '@countersign/protocol';

/** What a tool of a coding agent does, and in which arguments it names what it touches. */
export type KnownTool =
  | { readonly does: 'run' }
  | { readonly does: 'read'; readonly as: 'read_file' | 'list_files' | 'grep'; readonly byGit?: true }
  | { readonly does: 'write'; readonly as: 'write_file' | 'edit_file' }
  | { readonly does: 'read-many' }
  | { readonly does: 'patch' }
  | { readonly does: 'fetch' }
  /** Its arguments don't say what it touches, or in a language that nothing here reads. */
  | { readonly does: 'unclear'; readonly as: 'shell_cmd' | 'read_file' | 'web_fetch' };

const RUN = { does: 'run' } as const;
const READ = { does: 'read', as: 'read_file' } as const;
const LIST = { does: 'read', as: 'list_files' } as const;
const GREP = { does: 'read', as: 'grep' } as const;
/** Runs `git grep`, whose pattern can be an option and whose `include` can name other folders. */
const GIT_GREP = { does: 'read', as: 'grep', byGit: true } as const;
const WRITE = { does: 'write', as: 'write_file' } as const;
const EDIT = { does: 'write', as: 'edit_file' } as const;
const FETCH = { does: 'fetch' } as const;
const UNCLEAR_COMMAND = { does: 'unclear', as: 'shell_cmd' } as const;
const UNCLEAR_FILE = { does: 'unclear', as: 'read_file' } as const;
const SEARCH = { does: 'unclear', as: 'web_fetch' } as const;

/**
 * By the names that Claude Code 2.1.325, Codex 0.166.0, Gemini CLI 0.61.0, opencode 1.18.18 and earlier versions use. All other tools are judged by
 * their arguments.
 */
export const KNOWN_TOOLS: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>([
  ...named(EXTERNAL_VERBS.run, RUN),
  ...named(EXTERNAL_VERBS.write, WRITE),
  ...named(EXTERNAL_VERBS.change, EDIT),
  ['PowerShell', UNCLEAR_COMMAND],
  ['REPL', UNCLEAR_COMMAND],
  // Types into a shell that an earlier call started.
  ['write_stdin', UNCLEAR_COMMAND],
  ['Read', READ],
  ['read', READ],
  ['read_file', READ],
  ['NotebookRead', READ],
  ['view_image', READ],
  ['LSP', READ],
  ['lsp', READ],
  ['read_many_files', { does: 'read-many' }],
  // They upload files.
  ['Artifact', UNCLEAR_FILE],
  ['SendUserFile', UNCLEAR_FILE],
  ['LS', LIST],
  ['list', LIST],
  ['list_directory', LIST],
  ['Glob', LIST],
  ['glob', LIST],
  ['Grep', GREP],
  ['grep', GREP],
  ['grep_search', GIT_GREP],
  ['search_file_content', GIT_GREP],
  ['apply_patch', { does: 'patch' }],
  // The kinds of calls that ACP knows, for agents that don't name their tools (EXT3).
  ['search', GIT_GREP],
  ['delete', WRITE],
  ['move', WRITE],
  ['fetch', FETCH],
  ['WebFetch', FETCH],
  ['webfetch', FETCH],
  ['web_fetch', FETCH],
  ['WebSearch', SEARCH],
  ['websearch', SEARCH],
  ['web_search', SEARCH],
  ['google_web_search', SEARCH],
]);

function named(names: readonly string[], tool: KnownTool): [string, KnownTool][] {
  return names.map((name) => [name, tool]);
}

/** The names under which these tools take a path. */
export const PATH_ARGUMENTS = [
  'file_path',
  'filePath',
  'filepath',
  'absolute_path',
  'notebook_path',
  'path',
  'dir_path',
] as const;

/** The arguments that a rule for a tool covers. Others, such as `dangerouslyDisableSandbox`, may change what a call does. */
export const COVERED_ARGUMENTS: ReadonlySet<string> = new Set([
  ...PATH_ARGUMENTS,
  ...['command', 'cmd', 'shell', 'description', 'justification', 'timeout', 'timeout_ms', 'run_in_background'],
  ...['dir_path', 'directory', 'workdir', 'cwd', 'content', 'edits', 'instruction', 'input', 'patch', 'patchText'],
  ...['old_string', 'new_string', 'replace_all', 'oldString', 'newString', 'replaceAll', 'expected_replacements'],
  ...[
    'notebook_path',
    'cell_id',
    'cell_type',
    'edit_mode',
    'new_source',
    'offset',
    'limit',
    'pages',
    'line',
    'character',
  ],
  ...['operation', 'pattern', 'include', 'exclude', 'recursive', 'ignore', 'glob', 'type', 'output_mode', 'head_limit'],
  ...['-A', '-B', '-C', '-n', '-i', '-o', 'context', 'multiline', 'case_sensitive', 'respect_git_ignore', 'depth'],
  ...['url', 'prompt', 'format', 'query'],
]);

/** The names under which a shell takes another folder than the session's. */
export const FOLDER_ARGUMENTS = ['dir_path', 'directory', 'workdir', 'cwd'] as const;
