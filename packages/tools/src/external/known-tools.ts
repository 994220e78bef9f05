/** What a tool of a coding agent does, and in which arguments it names what it touches. */
export type KnownTool =
  | { readonly does: 'run' }
  | { readonly does: 'read'; readonly as: 'read_file' | 'list_files' | 'grep' }
  | { readonly does: 'write'; readonly as: 'write_file' | 'edit_file' }
  | { readonly does: 'patch' }
  | { readonly does: 'fetch' };

const RUN = { does: 'run' } as const;
const READ = { does: 'read', as: 'read_file' } as const;
const LIST = { does: 'read', as: 'list_files' } as const;
const GREP = { does: 'read', as: 'grep' } as const;
const WRITE = { does: 'write', as: 'write_file' } as const;
const EDIT = { does: 'write', as: 'edit_file' } as const;
const FETCH = { does: 'fetch' } as const;

/** By the names that Claude Code, Codex, Gemini CLI and opencode use. All other tools are judged by their arguments. */
export const KNOWN_TOOLS: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>([
  ['Bash', RUN],
  ['bash', RUN],
  ['shell', RUN],
  ['local_shell', RUN],
  ['exec_command', RUN],
  ['run_shell_command', RUN],
  ['Read', READ],
  ['read', READ],
  ['read_file', READ],
  ['NotebookRead', READ],
  ['LS', LIST],
  ['list', LIST],
  ['list_directory', LIST],
  ['Glob', LIST],
  ['glob', LIST],
  ['Grep', GREP],
  ['grep', GREP],
  ['grep_search', GREP],
  ['search_file_content', GREP],
  ['Write', WRITE],
  ['write', WRITE],
  ['write_file', WRITE],
  ['Edit', EDIT],
  ['edit', EDIT],
  ['MultiEdit', EDIT],
  ['NotebookEdit', EDIT],
  ['replace', EDIT],
  ['apply_patch', { does: 'patch' }],
  ['WebFetch', FETCH],
  ['webfetch', FETCH],
]);

/** The names under which these tools take a path. */
export const PATH_ARGUMENTS = ['file_path', 'filePath', 'absolute_path', 'notebook_path', 'path', 'dir_path'] as const;

/** The names under which a shell takes another folder than the session's. */
export const FOLDER_ARGUMENTS = ['dir_path', 'directory', 'workdir', 'cwd'] as const;
