import { addAgent, claimExternal, createWorld, listApprovals, proposeExternal } from '@countersign/core';
import { externalTool } from '@countersign/tools';
import { expect, it } from 'vitest';
import { sampled } from '../../../tests/support/scaled.js';
import { asked, caller } from './testing/external-worlds.js';
import { freshEngines } from './testing/fresh-engines.js';
import { createTestEngine, person } from './testing/test-engine.js';

const W = 'harbour';
const engines = freshEngines();

/** Claims each call in turn, in a world with these rules. */
async function judge(
  policy: string[],
  calls: readonly (readonly [tool: string, args: Record<string, unknown>])[],
  { cwd }: { cwd?: string } = { cwd: '/home/ada/project' },
) {
  const engine = await createTestEngine({ externalTool });
  engines.add(engine);
  const { runtime } = engine;
  await createWorld(runtime, { name: 'Harbour', policy }, person);
  await addAgent(runtime, W, { name: 'Any', provider: 'external', model: 'any', tools: ['*'] }, person);
  await engine.start();
  const states: [string, string][] = [];
  for (const [index, [toolName, args]] of calls.entries()) {
    const about = { agentId: 'any', session: `s${index}`, key: 'k', program: 'any', title: 'Any', toolName };
    const runs = { where: 'program', reports: true, ...(cwd === undefined ? {} : { cwd }) } as const;
    const { signal } = new AbortController();
    const { id } = await proposeExternal(runtime, W, { ...about, arguments: args, runs, signal }, caller);
    states.push([toolName, (await claimExternal(runtime, asked(id, { agentId: 'any' }))).state]);
  }
  const pending = await listApprovals(runtime, W, { status: 'pending' });
  const cards = pending.map(({ sandbox }) => sandbox.folder);
  return { states, cards, previews: pending.map(({ preview }) => preview) };
}

const claims = async (...about: Parameters<typeof judge>) => (await judge(...about)).states;

/** The tools that each version offers and that stand for a built-in tool, with arguments of the form that it uses. */
const STANDING = {
  // Claude Code 2.1.325. Some exist only on other systems, with other settings, or in earlier versions.
  claude__Bash: ['shell_cmd', { command: 'ls' }],
  claude__Monitor: ['shell_cmd', { command: 'tail -f log', description: 'log', timeout_ms: 1000 }],
  claude__PowerShell: ['shell_cmd', { command: 'Get-ChildItem' }],
  claude__REPL: ['shell_cmd', { code: '1 + 1' }],
  claude__Read: ['read_file', { file_path: 'a' }],
  claude__NotebookRead: ['read_file', { notebook_path: 'a.ipynb' }],
  claude__LSP: ['read_file', { operation: 'hover', filePath: 'a.ts', line: 1, character: 1 }],
  claude__Artifact: ['read_file', { file_path: 'a.html' }],
  claude__SendUserFile: ['read_file', { files: ['a'] }],
  claude__Write: ['write_file', { file_path: 'a', content: '' }],
  claude__Edit: ['edit_file', { file_path: 'a', old_string: 'a', new_string: 'b' }],
  claude__MultiEdit: ['edit_file', { file_path: 'a', edits: [] }],
  claude__NotebookEdit: ['edit_file', { notebook_path: 'a.ipynb', new_source: '' }],
  claude__LS: ['list_files', { path: 'src' }],
  claude__Glob: ['list_files', { pattern: 'src/*' }],
  claude__Grep: ['grep', { pattern: 'x', path: 'src' }],
  claude__WebFetch: ['web_fetch', { url: 'https://example.org', prompt: 'read' }],
  claude__WebSearch: ['web_fetch', { query: 'x' }],
  // Gemini CLI 0.61.0.
  gemini__run_shell_command: ['shell_cmd', { command: 'ls' }],
  gemini__read_file: ['read_file', { file_path: 'a' }],
  gemini__read_many_files: ['read_file', { include: ['src/**/*.ts'] }],
  gemini__write_file: ['write_file', { file_path: 'a', content: '' }],
  gemini__replace: ['edit_file', { file_path: 'a', old_string: 'a', new_string: 'b' }],
  gemini__list_directory: ['list_files', { dir_path: 'src' }],
  gemini__glob: ['list_files', { pattern: '*' }],
  gemini__grep_search: ['grep', { pattern: 'x' }],
  gemini__search_file_content: ['grep', { pattern: 'x' }],
  gemini__web_fetch: ['web_fetch', { prompt: 'Summarize https://example.org/a' }],
  gemini__google_web_search: ['web_fetch', { query: 'x' }],
  // Codex 0.166.0. Its hooks call the shell `Bash`.
  codex__Bash: ['shell_cmd', { command: 'ls' }],
  codex__exec_command: ['shell_cmd', { cmd: 'ls' }],
  codex__write_stdin: ['shell_cmd', { session_id: 1, chars: 'rm -rf a\n' }],
  codex__apply_patch: ['edit_file', { input: '*** Begin Patch\n*** Update File: a\n*** End Patch' }],
  codex__view_image: ['read_file', { path: 'a.png' }],
  codex__web_search: ['web_fetch', { query: 'x' }],
  // opencode 1.18.18.
  opencode__bash: ['shell_cmd', { command: 'ls' }],
  opencode__read: ['read_file', { filePath: 'a' }],
  opencode__lsp: ['read_file', { operation: 'hover', filePath: 'a.ts', line: 1, character: 1 }],
  opencode__write: ['write_file', { filePath: 'a', content: '' }],
  opencode__edit: ['edit_file', { filePath: 'a', oldString: 'a', newString: 'b' }],
  opencode__apply_patch: ['edit_file', { patchText: '*** Begin Patch\n*** Add File: a\n*** End Patch' }],
  opencode__glob: ['list_files', { pattern: '*' }],
  opencode__grep: ['grep', { pattern: 'x' }],
  opencode__webfetch: ['web_fetch', { url: 'https://example.org', format: 'text' }],
  opencode__websearch: ['web_fetch', { query: 'x' }],
} as const;

/** The other tools of these versions, except those that ask people (EXT1.27). What they start asks for itself, or they touch nothing that a built-in tool does. */
const OTHERS = {
  claude: `Agent BashOutput CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillShell ListAgents
    ListMcpResourcesTool Projects PushNotification ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup SendMessage Skill Task TaskCreate
    TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch Workflow`,
  gemini: `activate_skill complete_task enter_plan_mode exit_plan_mode get_internal_docs invoke_agent list_background_processes
    list_mcp_resources read_background_output read_mcp_resource tracker_add_dependency tracker_create_task tracker_get_task tracker_list_tasks
    tracker_update_task tracker_visualize update_topic write_todos`,
  codex: `create_goal get_goal list_mcp_resources read_mcp_resource request_user_input spawn_agent update_goal update_plan wait_agent`,
  opencode: `plan_exit question skill task todowrite`,
};

it('[EXT1.5] a deny rule for a built-in tool holds for each tool that stands for it, whatever allows that tool', async () => {
  const calls = Object.entries(STANDING).map(([tool, [, args]]) => [tool, args] as const);
  const denied = [...new Set(Object.values(STANDING).map(([builtIn]) => `deny ${builtIn}`))];
  const allowed = calls.map(([tool]) => `allow ${tool}`);
  expect(await claims([...denied, ...allowed], calls)).toEqual(calls.map(([tool]) => [tool, 'denied']));
  // One rule denies only the tools that stand for that built-in tool.
  for (const rule of sampled(denied, 3)) {
    const states = await claims([rule], calls);
    const expected = calls.map(([tool]) => [
      tool,
      rule === `deny ${STANDING[tool as keyof typeof STANDING][0]}` ? 'denied' : 'pending',
    ]);
    expect(states).toEqual(expected);
  }
});

it('[EXT1.4] other tools, and tools that nobody knows, need approval unless a rule names them', async () => {
  const named = Object.entries(OTHERS).flatMap(([program, tools]) =>
    tools.split(/\s+/).map((tool) => `${program}__${tool}`),
  );
  const calls = [...named, 'claude__NewTool'].map((tool) => [tool, { path: 'a' }] as const);
  const rules = ['deny shell_cmd', 'deny edit_file', 'deny web_fetch'];
  expect(await claims(rules, calls)).toEqual(calls.map(([tool]) => [tool, 'pending']));
  expect(await claims([...rules, 'allow claude__TodoWrite'], [['claude__TodoWrite', {}]])).toEqual([
    ['claude__TodoWrite', 'allowed'],
  ]);
});

it.each<[string, string, Record<string, unknown>]>([
  ['deny read_file(./secrets/**)', 'gemini__read_many_files', { include: ['src/a.ts', 'secrets/key'] }],
  ['deny read_file(/etc/**)', 'gemini__read_many_files', { include: ['/etc/**/*.key'] }],
  [
    'deny web_fetch(evil.example)',
    'gemini__web_fetch',
    { prompt: 'see (https://evil.example/x) and https://example.org' },
  ],
  ['deny web_fetch(evil.example)', 'gemini__web_fetch', { prompt: 'HTTPS://EVIL.example:8443/x' }],
  ['deny shell_cmd(rm *)', 'claude__Monitor', { command: 'rm -rf a' }],
  ['deny read_file(~/.ssh/**)', 'codex__view_image', { path: '~/.ssh/id_rsa' }],
])('[EXT1.5] %s holds for %s', async (rule, tool, args) => {
  expect(await claims([rule, `allow ${tool}`], [[tool, args]])).toEqual([[tool, 'denied']]);
});

it.each<[string, string, Record<string, unknown>, string]>([
  ['gemini__read_many_files', 'a glob', { include: ['**/*'] }, 'deny read_file(./secrets/**)'],
  ['gemini__read_many_files', 'no list', { include: [{ path: 'a' }] }, 'deny read_file(./secrets/**)'],
  ['gemini__web_fetch', 'another form of a URL', { prompt: 'open evil.example' }, 'deny web_fetch(evil.example)'],
  ['gemini__google_web_search', 'a search', { query: 'x' }, 'deny web_fetch(evil.example)'],
  ['codex__exec_command', 'another shell', { cmd: 'ls', shell: './ls' }, 'deny shell_cmd(rm *)'],
  ['codex__write_stdin', 'typing', { session_id: 1, chars: 'x' }, 'deny shell_cmd(rm *)'],
  ['claude__PowerShell', 'another language', { command: 'Remove-Item a' }, 'deny shell_cmd(rm *)'],
])('[EXT1.8] allow %s does not cover %s while a rule may deny it', async (tool, _, args, rule) => {
  expect(await claims([rule, `allow ${tool}`], [[tool, args]])).toEqual([[tool, 'pending']]);
});

it('[EXT1.13] no path rule allows a relative path if the program did not say in which folder it works, and the card says so', async () => {
  // The world's folder is / here, so every path would be in it.
  const rules = ['claude__Read', 'claude__Write', 'claude__Glob', 'codex__apply_patch'].map(
    (tool) => `allow ${tool}(/**)`,
  );
  const relative = [
    ['claude__Read', { file_path: 'notes.txt' }],
    ['claude__Write', { file_path: './a', content: '' }],
    ['claude__Glob', { pattern: '*' }],
    ['codex__apply_patch', { input: '*** Begin Patch\n*** Update File: a\n*** End Patch' }],
  ] as const;
  expect(await claims(rules, relative)).toEqual(relative.map(([tool]) => [tool, 'allowed']));
  const { states, cards } = await judge(rules, relative, {});
  expect(states).toEqual(relative.map(([tool]) => [tool, 'pending']));
  expect(cards).toEqual(relative.map(() => 'unknown'));
  const absolute = [['claude__Read', { file_path: '/srv/notes.txt' }]] as const;
  expect(await claims(rules, absolute, {})).toEqual([['claude__Read', 'allowed']]);
});

it('[EXT3.4] a title beside other arguments gets around no deny rule, and shows no change of its own', async () => {
  const rules = ['deny shell_cmd(git push *)', 'deny edit_file(/etc/**)', 'deny web_fetch(evil.example)'];
  const only_a_title = 'Edit the notes';
  const denied = [
    ['claude__Bash', { command: 'git push origin', only_a_title }],
    ['claude__Edit', { file_path: '/etc/passwd', old_string: 'a', new_string: 'b', only_a_title }],
    ['claude__WebFetch', { url: 'https://evil.example/', only_a_title }],
  ] as const;
  expect(await claims(rules, denied)).toEqual(denied.map(([tool]) => [tool, 'denied']));
  const changes = [{ path: 'notes.md', new: 'harmless' }];
  const write = ['claude__Write', { file_path: 'x.sh', content: 'rm -rf /', only_a_title, changes }] as const;
  const { states, previews } = await judge(['allow claude__*'], [write]);
  expect(states).toEqual([['claude__Write', 'pending']]);
  expect(previews).toEqual([undefined]);
});

it('[EXT3.5] a command that a program calls a search, a read, an edit or a fetch is judged as a command, and no rule allows it', async () => {
  const names = ['search', 'list', 'read', 'grep', 'edit', 'delete', 'move', 'fetch'].map((kind) => `codex__${kind}`);
  const calls = names.map((tool) => [tool, { command: ['bash', '-lc', 'git push origin'] }] as const);
  const allowed = names.flatMap((name) => [`allow ${name}`, `allow ${name}(./**)`]);
  expect(await claims(allowed, calls)).toEqual(names.map((tool) => [tool, 'pending']));
  expect(await claims([...allowed, 'deny shell_cmd(git push *)'], calls)).toEqual(
    names.map((tool) => [tool, 'denied']),
  );
  // An editor's command isn't one of a shell.
  const view = [['codex__read', { command: 'view', path: 'secret' }]] as const;
  expect(await claims(['deny read_file(./secret)'], view)).toEqual([['codex__read', 'denied']]);
  // But it may be, so no rule about the path allows it.
  const both = ['codex__read', 'codex__edit'].map((tool) => [tool, { command: 'git push', path: 'notes.md' }] as const);
  expect(await claims(['allow codex__read(./**)', 'allow codex__edit(./**)'], both)).toEqual(
    both.map(([tool]) => [tool, 'pending']),
  );
});

it.each<[string, Record<string, unknown>, string[], string]>([
  ['fetch', { url: 'https://example.org/' }, ['allow any__fetch', 'allow any__fetch(example.org)'], 'deny web_fetch'],
  ['web_fetch', { prompt: 'read https://example.org/' }, ['allow any__web_fetch'], 'deny web_fetch(example.org)'],
  ['read_many_files', { include: ['a.txt'] }, ['allow any__read_many_files'], 'deny read_file(./a.txt)'],
])(
  '[EXT3.5] no rule allows %s with a command beside %j, and what it names can be denied',
  async (kind, args, allow, deny) => {
    const both = [[`any__${kind}`, { ...args, command: 'curl example.org' }]] as const;
    expect(await claims(allow, both)).toEqual([[`any__${kind}`, 'pending']]);
    expect(await claims([...allow, deny], both)).toEqual([[`any__${kind}`, 'denied']]);
  },
);
