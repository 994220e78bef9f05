/** What the tools of coding agents do whose calls can be shown like those of our own tools, by the agents' own names. */
export type ExternalVerb = 'run' | 'write' | 'change';

/** `execute` is how ACP calls the shell of an agent that doesn't name its tools (EXT3). */
export const EXTERNAL_VERBS: Readonly<Record<ExternalVerb, readonly string[]>> = {
  run: ['Bash', 'bash', 'shell', 'local_shell', 'exec_command', 'run_shell_command', 'Monitor', 'execute'],
  write: ['Write', 'write', 'write_file'],
  change: ['Edit', 'edit', 'MultiEdit', 'NotebookEdit', 'replace'],
};

const BY_NAME: ReadonlyMap<string, ExternalVerb> = new Map(
  (['run', 'write', 'change'] as const).flatMap((verb) => EXTERNAL_VERBS[verb].map((name) => [name, verb] as const)),
);

/** By the name in rules and on cards, such as `claude__Bash`. Undefined for all other tools. */
export function externalVerb(toolName: string): ExternalVerb | undefined {
  const [, own] = /^(?!mcp__|app__)[a-z][a-z0-9-]*__(.+)$/.exec(toolName) ?? [];
  return own === undefined ? undefined : BY_NAME.get(own);
}
