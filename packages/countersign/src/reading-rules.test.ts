import { addAgent, setPolicy, showReading } from '@countersign/core';
import { expect, it } from 'vitest';
import { externalWorlds, W } from './testing/external-worlds.js';
import { person } from './testing/test-engine.js';

const { open, close } = externalWorlds();
type Call = readonly [tool: string, args: Record<string, unknown>];

const PROGRAMS = ['claude', 'gemini'];
/** Each kind of rule that a world may have. `writes`: it lets a program outside the sandbox, or an MCP server, write without approval. */
const EXISTING: readonly { rule: string; writes: boolean }[] = [
  ...[
    'allow claude__Write(./**)',
    'allow claude__Write(./.git/config)',
    'allow claude__Edit(./src/**)',
    'allow claude__MultiEdit',
    'allow claude__NotebookEdit(./**)',
    'allow gemini__write_file(./**)',
    'allow gemini__replace',
    'allow opencode__edit(./**)',
    'allow codex__apply_patch',
    'allow claude__*',
    'allow *__Write',
    'allow *',
    'allow claude__Bash(npm run build)',
    'allow claude__Bash(git config core.fsmonitor ./x)',
    'allow gemini__run_shell_command(git status --porcelain)',
    'allow claude__Skill',
    'allow claude__NewTool',
    'allow mcp__files__write',
    'allow app__save',
    'allow claude__Write(./a) until 2100-01-01',
  ].map((rule) => ({ rule, writes: true })),
  ...[
    'allow claude__Read(./**)',
    'allow claude__WebFetch(example.org)',
    'allow claude__Bash(git status)',
    'allow gemini__run_shell_command(git log)',
    'allow claude__TodoWrite',
    'allow shell_cmd(npm *)',
    'allow write_file(./**)',
    'ask claude__Write(./**)',
    'deny claude__*',
    '# allow claude__Write',
  ].map((rule) => ({ rule, writes: false })),
];

it('[GATE7.5] of all pairs of offered and existing rules, none lets a program write what an allowed command runs', async () => {
  const opened = await open();
  const isCommand = (rule: string) => /__(?:Bash|run_shell_command)\(/.test(rule);
  let pairs = 0;
  const check = async ({ runtime }: Awaited<ReturnType<typeof open>>, existing: string, writes: boolean) => {
    for (const program of PROGRAMS) {
      const { rules, leftOut, because } = await showReading(runtime, W, program);
      pairs += rules.length;
      expect([existing, rules.some(isCommand)]).toEqual([existing, !writes]);
      expect([existing, because]).toEqual([existing, writes ? existing : undefined]);
      expect(leftOut.every(isCommand)).toBe(true);
      expect(rules).not.toContain(existing);
    }
  };
  for (const { rule, writes } of EXISTING) {
    await setPolicy(opened.runtime, W, [rule], person);
    await check(opened, rule, writes);
  }
  expect(pairs).toBeGreaterThan(400);
  expect(await showReading(opened.runtime, W, 'opencode')).toEqual({ rules: [], leftOut: [] });
  await close(opened);
  // The administrator's rules count, too.
  for (const { rule, writes } of EXISTING.filter(({ rule: text }) => text.startsWith('allow claude__W'))) {
    const ruled = await open({}, ':memory:', undefined, { adminRules: [rule] });
    await check(ruled, rule, writes);
    await close(ruled);
  }
});

/** Everything with which a program can write a file that Git or a build runs. */
const WRITES: readonly Call[] = [
  ['claude__Write', { file_path: '.git/config', content: '[core]\n\tfsmonitor = ./x' }],
  ['claude__Edit', { file_path: '.gitattributes', old_string: '', new_string: '* diff=x' }],
  ['claude__NotebookEdit', { notebook_path: 'x.ipynb', new_source: '' }],
  ['claude__Bash', { command: 'git config core.fsmonitor ./x' }],
  ['claude__Bash', { command: 'git diff --output=.git/config' }],
  ['claude__Bash', { command: 'git status > .git/config' }],
  ['claude__Bash', { command: 'git log; cp a .git/config' }],
  ['claude__Bash', { command: 'git -c core.fsmonitor=./x status' }],
  ['claude__Bash', { command: 'GIT_DIR=/tmp/x git status' }],
  ['claude__Bash', { command: 'git status', dangerouslyDisableSandbox: true }],
  ['claude__Bash', { command: 'git status', cwd: 'other' }],
  ['claude__Read', { file_path: 'a', command: 'cp a b' }],
  ['claude__Grep', { pattern: 'x', path: '/etc' }],
  ['claude__Glob', { pattern: '../*' }],
  ['claude__Skill', { skill: 'x' }],
  ['claude__Task', { prompt: 'x' }],
  ['claude__NewTool', {}],
];

it('[GATE7.4] [GATE7.5] with the offered rules, the gate lets nothing run that writes', async () => {
  const { runtime, propose, claim } = await open();
  const { rules } = await showReading(runtime, W, 'claude');
  await setPolicy(runtime, W, rules, person);
  expect(await showReading(runtime, W, 'claude')).toEqual({ rules: [], leftOut: [] });
  const states: [string, string][] = [];
  for (const [at, [toolName, args]] of WRITES.entries()) {
    const { id } = await propose({ key: `w${at}`, toolName, arguments: args });
    states.push([`${toolName} ${JSON.stringify(args)}`, (await claim(id)).state]);
  }
  expect(states.filter(([, state]) => state !== 'pending')).toEqual([]);
});

/** Gemini CLI passes both arguments to `git grep`. */
const BY_GIT: readonly (readonly [pattern: string, include?: string])[] = [
  ['-Otouch x;:', 'a'],
  [' --open-files-in-pager=./x', 'a'],
  ['x', ':/'],
  ['x', ':(top)secrets'],
  ['x', '../other/**'],
  ['x', '*/../../other/a'],
  ['x', '/home/ada/other/a'],
];

it('[GATE7.4] [GATE7.5] [EXT1.33] with the offered rules, no search runs a program, or leaves the folder', async () => {
  const { runtime, propose, claim } = await open();
  await addAgent(runtime, W, { name: 'Gem', provider: 'external', model: 'gemini', tools: ['gemini__*'] }, person);
  await setPolicy(runtime, W, (await showReading(runtime, W, 'gemini')).rules, person);
  const gem = { agentId: 'gem' };
  const stateOf = async (tool: string, pattern: string, include?: string) => {
    const args = { pattern, ...(include && { include }) };
    const about = { ...gem, program: 'gemini', toolName: `gemini__${tool}`, arguments: args };
    const { id } = await propose({ key: JSON.stringify([tool, args]), ...about });
    return (await claim(id, gem)).state;
  };
  for (const tool of ['grep_search', 'search_file_content']) {
    expect(await stateOf(tool, 'a -> b', 'src/**/*.{ts,tsx}')).toBe('allowed');
    const states = await Promise.all(BY_GIT.map(async (call) => [...call, await stateOf(tool, ...call)]));
    expect(states.filter((call) => call.at(-1) !== 'pending')).toEqual([]);
  }
});

/** What an agent does to fix a bug: it looks around, keeps a list, changes three files and runs the tests. */
const SESSION: readonly Call[] = [
  ['claude__Glob', { pattern: 'src/**/*.ts' }],
  ['claude__Grep', { pattern: 'parse', path: 'src' }],
  ['claude__Read', { file_path: '/home/ada/project/src/parse.ts' }],
  ['claude__Read', { file_path: '/home/ada/project/src/parse.test.ts', offset: 1, limit: 200 }],
  ['claude__Bash', { command: 'git log', description: 'Show the history' }],
  ['claude__TodoWrite', { todos: [{ content: 'Fix it', status: 'pending', activeForm: 'Fixing it' }] }],
  ['claude__Bash', { command: 'npm test' }],
  ['claude__Grep', { pattern: 'tokens', output_mode: 'content', '-n': true }],
  ['claude__Read', { file_path: '/home/ada/project/src/tokens.ts' }],
  ['claude__Edit', { file_path: '/home/ada/project/src/tokens.ts', old_string: 'a', new_string: 'b' }],
  ['claude__Edit', { file_path: '/home/ada/project/src/parse.ts', old_string: 'a', new_string: 'b' }],
  ['claude__Write', { file_path: '/home/ada/project/src/parse.test.ts', content: 'x' }],
  ['claude__Bash', { command: 'npm test' }],
  ['claude__Read', { file_path: '/home/ada/project/src/parse.ts' }],
  ['claude__Bash', { command: 'git diff' }],
  ['claude__Read', { file_path: '/home/ada/.npmrc' }],
  ['claude__Bash', { command: 'git status' }],
  ['claude__TodoWrite', { todos: [] }],
  ['claude__Glob', { pattern: '*.md', path: '/home/ada/project' }],
  ['claude__Bash', { command: 'git commit -am "Fix it"' }],
];

it('[GATE7.4] a session of 20 calls needs 7 approvals with the offered rules, and 20 without', async () => {
  const needed: number[] = [];
  for (const isOffered of [false, true]) {
    const opened = await open();
    const { runtime, propose, claim } = opened;
    if (isOffered) {
      const { rules } = await showReading(runtime, W, 'claude');
      await setPolicy(runtime, W, rules, person);
    }
    let pending = 0;
    for (const [at, [toolName, args]] of SESSION.entries()) {
      const { id } = await propose({ key: `k${at}`, toolName, arguments: args });
      if ((await claim(id)).state === 'pending') pending += 1;
    }
    needed.push(pending);
    await close(opened);
  }
  expect(SESSION).toHaveLength(20);
  expect(needed).toEqual([20, 7]);
});

it('[GATE7.5] “always” is offered for no command while a rule lets a program write files, and the other way round', async () => {
  const { runtime, propose, pending } = await open();
  const offers = async (policy: string[], key: string, toolName: string, args: Record<string, unknown>) => {
    await setPolicy(runtime, W, policy, person);
    const { id } = await propose({ key, toolName, arguments: args });
    return (await pending()).find((card) => card.toolCallId === id)?.options.includes('approve_always');
  };
  const command = ['claude__Bash', { command: 'npm test' }] as const;
  const write = ['claude__Write', { file_path: '/home/ada/project/a.js', content: '' }] as const;
  expect(await offers([], 'a', ...command)).toBe(true);
  expect(await offers([], 'b', ...write)).toBe(true);
  expect(await offers(['allow claude__Read(./**)', 'allow claude__Bash(ls)'], 'c', ...command)).toBe(true);
  expect(await offers(['allow claude__Edit(./src/**)'], 'd', ...command)).toBe(false);
  expect(await offers(['allow claude__Bash(git status)'], 'e', ...write)).toBe(false);
  expect(await offers(['allow claude__Edit(./src/**)'], 'f', ...write)).toBe(true);
});
