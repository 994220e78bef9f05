import { ACP_PROVIDER, acpProgram, type Agent, EXTERNAL_PROVIDER, externalToolName } from '@countersign/protocol';

interface ExternalTool {
  readonly name: string;
  readonly example: Readonly<Record<string, string>>;
}

const COMMAND = { command: 'git status' };
const FILE = { file_path: 'notes.md' };
const ACP_KINDS: readonly ExternalTool[] = [
  { name: 'execute', example: COMMAND },
  { name: 'read', example: FILE },
  { name: 'edit', example: FILE },
];

/** The tools of known programs that most rules are about. Nobody has a list of all of them. */
const TOOLS: Readonly<Record<string, readonly ExternalTool[]>> = {
  claude: [
    { name: 'Bash', example: COMMAND },
    { name: 'Read', example: FILE },
    { name: 'Write', example: FILE },
    { name: 'Edit', example: FILE },
    { name: 'WebFetch', example: { url: 'https://example.org' } },
  ],
  gemini: [
    { name: 'run_shell_command', example: COMMAND },
    { name: 'read_file', example: FILE },
    { name: 'write_file', example: FILE },
    { name: 'replace', example: FILE },
    { name: 'web_fetch', example: { prompt: 'https://example.org' } },
  ],
};

/** The tools to offer for the external and ACP agents of a world, by the names in rules. */
export function externalTools(agents: readonly Agent[]): readonly ExternalTool[] {
  const found = agents.flatMap((agent) => {
    const program = programOf(agent);
    if (program === undefined) return [];
    const own = TOOLS[program] ?? [];
    const all = agent.provider === ACP_PROVIDER ? [...own, ...ACP_KINDS] : own;
    return all.map(({ name, example }) => ({ name: externalToolName(program, name), example }));
  });
  return [...new Map(found.map((tool) => [tool.name, tool])).values()];
}

function programOf({ provider, model, acp }: Agent): string | undefined {
  if (provider === EXTERNAL_PROVIDER) return model;
  return provider === ACP_PROVIDER && acp !== undefined ? acpProgram(acp) : undefined;
}
