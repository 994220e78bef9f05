import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { z } from 'zod';
import { ENTER } from '../support/pseudo-terminal.js';
import { openHarbourServer, runAlone, stamp, type HarbourServer, type Ran } from './harbour-server.js';

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());

const run = (...words: string[]): Promise<Ran> => t.runHere(words);

async function json(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(...words, '--json');
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
  return z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
}

/** Makes the agent request a stamp and returns the id of the approval. */
async function ask(letter: string): Promise<string> {
  const chat = await t.client.createChat('docks');
  await t.client.send('docks', chat.id, { content: t.asking(stamp(letter)) });
  const find = async () => (await t.client.approvals('docks', { chat: chat.id })).items[0]?.approvalId;
  await expect.poll(find).toBeDefined();
  return (await find()) ?? '';
}

describe('the commands', () => {
  it('[TERM3.10] use the world of the current folder, and say so if no world or several have it', async () => {
    expect(await run('chats')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('No world has this folder. Choose one with -w.') as string,
    });
    await json('worlds', 'add', 'Here', '--folder', process.cwd());
    await json('chats', 'add', '-w', 'here', '--title', 'Only here');
    expect(await json('chats')).toMatchObject({ items: [{ title: 'Only here' }] });
    await json('worlds', 'add', 'Here too', '--folder', process.cwd());
    const unsure = await run('agents');
    expect(unsure.stderr).toContain('Several worlds have this folder. Choose one with -w.');
    expect(unsure.stderr).toMatch(/"here", "here-too"/);
    for (const name of ['here', 'here-too']) await json('worlds', 'remove', name, '--yes');
  });

  it('[TERM3] [TERM4] create, show, change and remove worlds, agents and chats, as JSON and as text', async () => {
    const folder = join(t.folder, 'home-worlds', 'ops');
    expect(await json('worlds', 'add', 'Ops', '--mode', 'read')).toMatchObject({ id: 'ops', mode: 'read', folder });
    expect((await run('worlds')).stdout).toContain(folder);
    expect(await json('worlds', 'edit', 'ops', '--root', 'tests', '--root', process.cwd())).toMatchObject({
      roots: [join(process.cwd(), 'tests'), process.cwd()],
    });
    expect(await json('worlds', 'edit', 'ops', '--mode', 'ask', '--approval-timeout', '5m')).toMatchObject({
      mode: 'ask',
      approvalTimeoutMs: 300_000,
    });
    const flags = ['--provider', 'obedient', '--model', 'any', '--tools', 'read_file, grep'];
    expect(await json('agents', 'add', 'Scout', '-w', 'ops', ...flags)).toMatchObject({ tools: ['read_file', 'grep'] });
    expect(await json('agents', 'edit', 'scout', '-w', 'Ops', '--no-active')).toMatchObject({ active: false });
    const made = await json('chats', 'add', '-w', 'ops', '--title', 'First');
    const [agents, chats, removed, worlds] = await Promise.all([
      run('agents', '-w', 'ops'),
      json('chats', 'list', '-w', 'ops'),
      json('agents', 'remove', 'scout', '-w', 'ops', '--yes'),
      run('worlds'),
    ]);
    expect(agents.stdout).toMatch(/^ID +NAME +MODEL/);
    expect(chats).toMatchObject({ items: [{ id: made['id'], title: 'First' }] });
    expect(removed).toEqual({ removed: 'scout' });
    expect(worlds.stdout).toMatch(/^Ops +ops +ask/m);
    const unsure = await run('worlds', 'remove', 'ops');
    expect(unsure).toMatchObject({ code: 2, stdout: '' });
    expect(unsure.stderr).toContain('--yes');
    expect(await json('worlds', 'remove', 'ops', '--yes')).toEqual({ removed: 'ops' });
  });

  it('[TERM3.6] add an agent that is another program, and change how it is started', async () => {
    await json('worlds', 'add', 'Yard');
    const added = await json('agents', 'add', 'Gem', '-w', 'yard', '--command', 'gemini --acp', '--env', 'A_KEY,B_KEY');
    expect(added).toMatchObject({
      provider: 'acp',
      model: 'gemini',
      acp: { command: ['gemini', '--acp'], env: ['A_KEY', 'B_KEY'] },
    });
    for (const [command, warning] of [
      ['no-such-agent --acp', 'no-such-agent is not installed here'],
      ['no-such-agent --acp', "Countersign doesn't know whether no-such-agent asks for every call"],
      ['codex-acp', 'Codex asks only for commands that it wants to run outside its own sandbox'],
      ['opencode acp', 'Run "countersign drill opencode --acp"'],
    ] as const) {
      const { stderr } = await run('agents', 'edit', 'Gem', '-w', 'yard', '--command', command);
      expect(stderr).toContain(warning);
    }
    // The server doesn't start programs from these folders either (EXT3.8).
    const local = join(t.folder, 'node_modules', '.bin');
    await mkdir(local, { recursive: true });
    await writeFile(join(local, 'opencode'), '#!/bin/sh\n', { mode: 0o755 });
    const edit = ['agents', 'edit', 'Gem', '-w', 'yard', '--command', 'opencode acp'];
    const { stderr } = await t.runHere(edit, { env: { PATH: local } });
    expect(stderr).toContain('opencode is not installed here');
    const words = JSON.stringify(['/opt/my agent', '--acp']);
    expect(await json('agents', 'edit', 'gem', '-w', 'yard', '--command', words)).toMatchObject({
      acp: { command: ['/opt/my agent', '--acp'], env: ['A_KEY', 'B_KEY'] },
    });
    for (const [flags, sentence] of [
      [['--mode', 'ask'], 'An ACP agent needs --command'],
      [['--command', ' '], 'An ACP agent needs --command'],
      [['--command', '["a", 1]'], 'or a JSON list'],
      [['--command', './agent --acp'], 'the name of a program, or its absolute path'],
      [['--command', 'gemini --acp', '--mode', 'yolo'], 'without asking'],
      [['--provider', 'acp', '--model', 'any'], 'needs the command of its program'],
    ] as const) {
      const { code, stderr } = await run('agents', 'add', 'Other', '-w', 'yard', ...flags);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) as string });
    }
  });

  it('[TERM3.5] [MODEL10] add ready-made agents, and change their model settings', async () => {
    await json('worlds', 'add', 'Crew');
    const model = ['-w', 'crew', '--provider', 'obedient', '--model', 'any'];
    expect(await json('agents', 'add', ...model, '--template', 'planner-and-worker')).toMatchObject({
      items: [{ id: 'planner' }, { id: 'worker', tools: expect.arrayContaining(['shell_cmd']) as string[] }],
    });
    expect((await t.client.world('crew')).value.mainAgent).toBe('planner');
    expect((await t.client.policy('crew')).value.rules).toEqual([]);
    const settings = ['--thinking', '4096', '--top-p', '0.9', '--parallel-calls', 'off', '--temperature', 'default'];
    const reviewer = await json('agents', 'add', 'Eve', ...model, '--template', 'reviewer', ...settings);
    expect(reviewer).toMatchObject({ name: 'Eve', thinking: 4096, topP: 0.9, parallelToolCalls: false });
    const reset = await json(
      'agents',
      'edit',
      'eve',
      '-w',
      'crew',
      '--thinking',
      'default',
      '--context-tokens',
      '9000',
    );
    expect(reset).toMatchObject({ topP: 0.9, contextTokens: 9000 });
    expect(reset).not.toHaveProperty('thinking');
    for (const [words, sentence] of [
      [['add', ...model, '--template', 'reviwer'], 'Did you mean "reviewer"?'],
      [['add', ...model], 'Enter a name for the agent, or choose a template'],
      [['add', 'Bob', ...model, '--template', 'planner-and-worker'], 'Leave out the name.'],
      [['edit', 'eve', '-w', 'crew', '--thinking', 'hard'], "--thinking can't be"],
      [['edit', 'eve', '-w', 'crew', '--top-p', '7'], 'must be at most 1'],
    ] as const) {
      const refused = await run('agents', ...words);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain(sentence);
    }
    expect((await t.client.agents('crew')).items).toHaveLength(3);
  });

  it('[TERM3] [CALL15] approve and deny calls exactly as shown, and only after a clear yes', async () => {
    const [first, second, third] = [await ask('one'), await ask('two'), await ask('three')];
    const listed = await json('approvals', 'list');
    expect((await run('approvals', 'list')).stdout).toMatch(/ Ada +stamp .* letter: one\n/);
    expect(listed).toMatchObject({ items: [{ approvalId: first }, { approvalId: second }, { approvalId: third }] });
    const [shown, unsure, unknown] = await Promise.all([
      run('approvals', 'show', first),
      run('approvals', 'approve', first),
      run('approvals', 'deny', `${first.slice(0, -1)}x`),
    ]);
    expect(shown.stdout).toContain('Ada wants to use stamp');
    expect(unsure.code).toBe(2);
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toContain(`Did you mean "${first}"?`);
    expect(t.runs).toEqual([]);
    expect(await json('approvals', 'approve', first, '--yes')).toMatchObject({ kind: 'recorded' });
    expect(await json('approvals', 'deny', second, '--reason', 'no')).toMatchObject({ kind: 'recorded' });
    const again = await run('approvals', 'approve', second, '--yes');
    expect(again).toMatchObject({ code: 1, stderr: 'countersign: This call is no longer waiting: it is denied.\n' });
    await expect.poll(() => t.runs).toEqual(['one']);

    const asked = t.terminal(['approvals', 'approve', third]);
    await asked.waitFor('Type "approve" to continue');
    asked.type(`y${ENTER}`);
    expect(await asked.exitCode).toBe(130);
    const watching = t.terminal(['approvals', 'watch']);
    await watching.waitFor('letter: three');
    await watching.waitFor('✍ ');
    watching.type(`o${ENTER}`);
    await watching.waitFor('Nothing is waiting for you');
    await expect.poll(() => t.runs).toEqual(['one', 'three']);
    const fourth = await ask('four');
    await watching.waitFor('letter: four');
    await t.client.decide('docks', { approvalId: fourth, callHash: '' }, { decision: 'deny' });
    await watching.waitFor('Denied');
    await watching.waitFor('Ctrl-C quits');
    watching.type('\u0003');
    expect(await watching.exitCode).toBe(0);
  });

  it('[TERM3.12] approve several calls with one confirmation, only those that were shown, and name those that are left out', async () => {
    const [first, second] = [await ask('several-1'), await ask('several-2')];
    const stamped = (): string[] => t.runs.filter((letter) => letter.startsWith('several-'));
    const all = ['approvals', 'approve', '--all'];
    const unseen = await run(...all, '--yes');
    expect(unseen).toMatchObject({ code: 2, stdout: '' });
    expect(unseen.stderr).toContain('--all needs a terminal');
    for (const words of [[], ['--all', first], [first, second, '--scope', 'always']])
      expect(await run('approvals', 'approve', ...words)).toMatchObject({ code: 2, stdout: '' });
    const unsure = await run('approvals', 'approve', first, second);
    expect(unsure.code).toBe(2);
    expect(unsure.stdout.match(/Ada wants to use stamp/g)).toHaveLength(2);
    expect(stamped()).toEqual([]);
    const approved = await run('approvals', 'approve', first, second, '--yes');
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stdout.match(/Approved once\./g)).toHaveLength(2);
    await expect.poll(stamped).toHaveLength(2);

    const question = await t.client.createChat('docks');
    const asking = { name: 'ask_human', arguments: { question: 'Which quay?' } };
    await t.client.send('docks', question.id, { content: t.asking(asking) });
    await ask('several-3');
    const asked = t.terminal([...all, '--yes']);
    const table = await asked.waitFor('This approves the call once, as shown.');
    expect(table).toContain('letter: several-3');
    expect(table).toContain('a question. Answer it');
    const later = await ask('several-4');
    asked.type(`approve${ENTER}`);
    expect(await asked.exitCode).toBe(0);
    await expect.poll(stamped).toEqual(['several-1', 'several-2', 'several-3']);
    const [open, last] = (await t.client.approvals('docks')).items;
    expect([open?.question?.text, last?.approvalId]).toEqual(['Which quay?', later]);
    await t.client.stop('docks', question.id);
    await t.client.decide('docks', { approvalId: later, callHash: '' }, { decision: 'deny' });
  });

  itAtFullSize('[TERM3] [SAFE6] reveal masked secrets on request, which is recorded', async () => {
    const id = await ask('deploy --password correct-horse-battery');
    expect((await run('approvals', 'show', id)).stdout).toContain('cor‹masked 1: 15 characters›ery');
    const revealed = await run('approvals', 'show', id, '--reveal');
    expect(revealed.stdout).toContain('deploy --password correct-horse-battery');
    expect(revealed.stdout).not.toContain('secret is masked');
    expect(await json('audit', 'list', '-w', 'docks', '--kind', 'reveal')).toMatchObject({
      items: [{ approvalId: id }],
    });
    const watching = t.terminal(['approvals', 'watch']);
    await watching.waitFor('v: reveal masked secrets');
    await watching.waitFor('✍ ');
    watching.type(`v${ENTER}`);
    await watching.waitFor('correct-horse-battery');
    await watching.waitFor('✍ ');
    const { toolCallId } = await t.client.approval('docks', id);
    const early = await run('audit', 'original', toolCallId, '-w', 'docks');
    expect(early).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('No call') as unknown });
    watching.type(`o${ENTER}`);
    await watching.waitFor('Nothing is waiting for you');
    watching.type('\u0003');
    expect(await watching.exitCode).toBe(0);
    expect((await run('audit', 'list', '-w', 'docks')).stdout).not.toContain('correct-horse-battery');
    const original = await run('audit', 'original', toolCallId, '-w', 'docks');
    expect(original).toMatchObject({ code: 0, stdout: expect.stringContaining('correct-horse-battery') as unknown });
    const reveals = [{ approvalId: id }, { approvalId: id }, { decision: 'original', invocationId: toolCallId }];
    expect(await json('audit', 'list', '-w', 'docks', '--kind', 'reveal')).toMatchObject({ items: reveals });
    const record = (await t.client.audit('docks')).items.find(({ kind }) => kind === 'reveal');
    const { id: signer, name } = record?.who ?? { id: '', name: '' };
    const revealedBy = ['audit', 'list', '-w', 'docks', '--kind', 'reveal', '--who'];
    for (const wanted of [signer, name.toUpperCase()]) {
      expect((await run(...revealedBy, wanted)).stdout).toContain(`${name}, from the terminal`);
    }
    expect(await json(...revealedBy, 'nobody')).toEqual({ items: [] });
  });

  it('[TERM3] [HTTP15] [RULE5] show, edit and check the policy, and save it only over the version that was read', async () => {
    const editor = join(t.folder, 'editor.sh');
    await writeFile(editor, `#!/bin/sh\nenv > '${editor}.env'\nprintf "deny stamp\\n" >> "$1"\n`);
    await chmod(editor, 0o700);
    const edited = await t.runHere(['policy', 'edit', '-w', 'docks'], {
      env: { EDITOR: editor, GEMINI_API_KEY: 'a key' },
    });
    expect(edited).toMatchObject({ code: 0, stderr: '"docks" has 1 rule now.\n' });
    // Every program of the same user can read the editor's environment.
    const given = await readFile(`${editor}.env`, 'utf8');
    expect(given).toContain('COUNTERSIGN_URL=');
    expect(given).not.toMatch(/COUNTERSIGN_TOKEN|GEMINI_API_KEY/);
    expect((await run('policy', '-w', 'docks')).stdout).toBe('deny stamp\n');
    await writeFile(editor, '#!/bin/sh\nprintf "alow stamp\\n" >> "$1"\n');
    const refused = await t.runHere(['policy', 'edit', '-w', 'docks'], { env: { EDITOR: editor } });
    expect(refused.code).toBe(2);
    const [, kept = ''] = /Not saved\. Your text is in (\S+)\.\n/.exec(refused.stderr) ?? [];
    expect(await readFile(kept, 'utf8')).toMatch(/^deny stamp\n[^]*alow stamp\n$/);
    await rm(dirname(kept), { recursive: true });
    const checked = await run('policy', 'check', 'stamp', '{"letter":"x"}', '-w', 'docks', '--json');
    expect(checked.code).toBe(3);
    expect(JSON.parse(checked.stdout)).toMatchObject({ outcome: 'refuse', rule: 'deny stamp' });
    const misspelt = await run('policy', 'add', 'deny stamp(leter=rude*)', '-w', 'docks');
    expect(misspelt).toMatchObject({ code: 2, stdout: '' });
    expect(misspelt.stderr).toContain('stamp has no argument "leter". Its only argument is letter.');
    expect((await run('policy', 'add', 'deny stamp(letter=rude*)', '-w', 'docks')).code).toBe(0);
    const odd = await run('policy', 'add', 'deny stmap', '-w', 'docks');
    expect(odd.code).toBe(0);
    expect(odd.stderr).toContain('Warning: Line 3: there is currently no tool named "stmap". Did you mean "stamp"?\n');
    expect((await run('policy', '-w', 'docks')).stderr).toContain('Did you mean "stamp"?');
    const noTool = await run('policy', 'check', 'stmap', '-w', 'docks');
    expect(noTool).toMatchObject({
      code: 3,
      stdout: 'stmap would be refused: there is no tool named "stmap" in this world. Did you mean "stamp"?\n',
    });
    const explained = await run('policy', 'check', 'stamp', '{"letter":"kind"}', '-w', 'docks');
    expect(explained.stdout).toContain('  did not apply: deny stamp(letter=rude*): letter is kind\n');
    await writeFile(join(t.folder, 'rules.txt'), '# none\ndeny stamp # never\n');
    const commented = await run('policy', 'edit', '-w', 'docks', '--file', join(t.folder, 'rules.txt'));
    expect(commented).toMatchObject({ code: 2, stdout: '' });
    expect(commented.stderr).toContain(
      'line 2, character 12: a comment needs a line of its own. The rule: deny stamp #',
    );
    await writeFile(join(t.folder, 'rules.txt'), '# none\nalow stamp\n');
    const wrong = await run('policy', 'edit', '-w', 'docks', '--file', join(t.folder, 'rules.txt'));
    expect(wrong.code).toBe(2);
    expect(wrong.stderr.trim().split('\n')).toHaveLength(1);
    await writeFile(join(t.folder, 'rules.txt'), '# none\n');
    expect((await run('policy', 'edit', '-w', 'docks', '--file', join(t.folder, 'rules.txt'))).code).toBe(0);
    expect((await t.client.policy('docks')).value.rules).toEqual(['# none']);
    const rehearsed = await run('policy', 'check', 'stamp', '{"letter":"kind"}', '--rehearse', '-w', 'docks');
    expect(rehearsed).toMatchObject({ code: 2, stdout: '' });
    expect(rehearsed.stderr).toContain("Calls to stamp can't be rehearsed.");
  });

  it('[RULE1.1] [TERM3] keep comments and blank lines of the policy, but not the editor’s header', async () => {
    const rules = join(t.folder, 'commented.txt');
    await writeFile(rules, '# Letters\n\nask stamp\n\n# Later\n');
    expect((await run('policy', 'edit', '-w', 'docks', '--file', rules)).stderr).toBe('"docks" has 1 rule now.\n');
    const editor = join(t.folder, 'add-comment.sh');
    await writeFile(editor, '#!/bin/sh\nprintf "# Last\\n" >> "$1"\n');
    await chmod(editor, 0o700);
    expect((await t.runHere(['policy', 'edit', '-w', 'docks'], { env: { EDITOR: editor } })).code).toBe(0);
    expect((await run('policy', 'add', 'deny flood', '-w', 'docks')).stderr).toContain('2 rules now');
    const lines = ['# Letters', '', 'ask stamp', '', '# Later', '# Last', 'deny flood'];
    expect((await run('policy', '-w', 'docks')).stdout).toBe(`${lines.join('\n')}\n`);
    expect((await run('policy', 'remove', 'ask stamp', '-w', 'docks')).code).toBe(0);
    expect((await t.client.policy('docks')).value.rules).toEqual(lines.filter((line) => line !== 'ask stamp'));
    expect((await run('policy', 'remove', '# Later', '-w', 'docks')).code).toBe(2);
    await writeFile(rules, '');
    expect((await run('policy', 'edit', '-w', 'docks', '--file', rules)).code).toBe(0);
    expect((await t.client.policy('docks')).value.rules).toEqual([]);
  });

  it('[TERM3] export and import worlds and the audit log, and verify it', async () => {
    const yaml = join(t.folder, 'docks.yaml');
    const audit = join(t.folder, 'audit.csv');
    await run('export', 'docks', '--out', yaml);
    expect(await readFile(yaml, 'utf8')).toContain('name: Docks');
    expect((await run('export', 'docks', '--out', yaml)).stderr).toContain('the file exists');
    const [imported, verified] = await Promise.all([json('import', yaml), json('audit', 'verify')]);
    expect(imported['name']).toMatch(/^Docks/);
    expect(verified).toMatchObject({ ok: true });
    await run('audit', 'export', '-w', 'docks', '--format', 'csv', '--out', audit);
    expect((await readFile(audit, 'utf8')).split('\n').length).toBeGreaterThan(1);
    expect((await run('audit', '-w', 'docks', '--last', '1')).stdout.trim().split('\n')).toHaveLength(2);
  });

  it('[TERM3] [SAFE1.5] doctor reports what works on this machine, and never shows a key', async () => {
    const { code, stdout } = await runAlone(['doctor', '--json', '--port', '0'], {
      ...t.env,
      ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1?key=sk-ant-in-query',
      COUNTERSIGN_HOME: join(t.folder, 'new home'),
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain('sk-ant');
    const { items } = z
      .object({ items: z.array(z.object({ what: z.string(), state: z.string(), detail: z.string() })) })
      .parse(JSON.parse(stdout));
    expect(items.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['node', 'home', 'database', 'port', 'anthropic', 'ollama', 'sandbox', 'browser']),
    );
    expect(items.find(({ what }) => what === 'anthropic')).toMatchObject({
      state: 'fine',
      detail: 'configured (ANTHROPIC_API_KEY); the key was not tested',
    });
    expect(items.find(({ what }) => what === 'openai')).toMatchObject({
      state: 'warning',
      detail: 'configured (OPENAI_API_KEY), but no response from http://127.0.0.1:9/v1: connection refused',
    });
    const broken = await runAlone(['doctor', '--home', join(t.folder, 'docks.yaml', 'deeper')], t.env);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('broken');
  });

  it('[TERM4] have help with an example, completion, and a one-sentence error for invalid input', async () => {
    const alone = ['serve', 'chat', 'tui', 'search', 'stats', 'import', 'export', 'migrate', 'doctor', 'completion'];
    const grouped = [
      'approvals approve',
      'worlds add',
      'agents add',
      'chats show',
      'policy check',
      'audit verify',
      'mcp add',
    ];
    const commands = [...alone, ...grouped].map((words) => words.split(' '));
    const helps = await Promise.all(commands.map((words) => run(...words, '--help')));
    for (const { code, stdout } of helps) {
      expect(code).toBe(0);
      expect(stdout).toContain('--json');
      expect(stdout).toMatch(/^Examples?:\n {2}.*countersign /m);
    }
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await run('completion', shell);
      expect(stdout).toContain('approvals');
    }
    const { stdout: bash } = await run('completion', 'bash');
    const script = `${bash}\nCOMP_WORDS=(countersign approvals ap); COMP_CWORD=2; _countersign; echo "\${COMPREPLY[@]}"`;
    expect((await promisify(execFile)('bash', ['-c', script])).stdout).toBe('approve\n');
    const wrong = await Promise.all([
      run('aprovals'),
      run('approvals', 'lst'),
      run('worlds', '--jsn'),
      run('worlds', 'show', 'dokcs'),
      run('chat', '--unattended', 'approve', 'hello'),
      run('worlds', 'add'),
    ]);
    for (const { code, stdout, stderr } of wrong) {
      expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 });
    }
    expect(wrong.map(({ stderr }) => /[Dd]id you mean (\S+?)\?/.exec(stderr)?.[1] ?? '')).toEqual([
      '"approvals"',
      '"list"',
      '--json',
      '"docks"',
      '',
      '',
    ]);
  });
});
