import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorld, scripted, type OpenedWorld } from 'countersign';
import { shellCmd, type Sandbox } from '@countersign/tools';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampled } from '../support/scaled.js';

const sandbox = await sharedSandbox();
const none: Sandbox = { kind: 'none', reason: 'left out on purpose' };

/** Commands that people commonly allow. */
const ALLOWED = ['cat', 'ls', 'grep', 'ln', 'find', 'cp', 'mv', 'bash', 'python3', 'git', 'rm', 'mkdir', 'tar', 'sed'];
const ALLOW = ALLOWED.map((program) => `allow shell_cmd(${program} *)`);
const SECRET = 'THE-PLANTED-WORD';

let folder: string;
let world: OpenedWorld | undefined;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-denied-')));
  await mkdir(join(folder, 'secrets/deep'), { recursive: true });
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'secrets/key'), SECRET);
  await writeFile(join(folder, 'secrets/deep/key'), SECRET);
  await writeFile(join(folder, 'src/a.txt'), 'plain words');
});
afterEach(async () => {
  await world?.close();
  world = undefined;
  await rm(folder, { recursive: true, force: true });
});

interface Ran {
  status: string;
  shown: string;
}

/** Makes an agent run one command under these rules; returns what the model saw and the state of the chat. */
async function run(
  command: string,
  rules: readonly string[],
  more: { mode?: 'auto'; sandbox?: Sandbox } = {},
): Promise<Ran> {
  await world?.close();
  const provider = scripted([{ calls: [{ name: 'shell_cmd', arguments: { command } }] }, 'done', 'a title']);
  const used = more.sandbox ?? sandbox;
  world = await openWorld(':memory:', {
    providers: [provider],
    tools: [shellCmd({ sandbox: used })],
    sandbox: used.kind,
    workingDirectory: folder,
    policy: [...rules],
    ...(more.mode === undefined ? {} : { mode: more.mode }),
    agents: [{ name: 'Ada', provider: 'scripted', model: 'm', tools: ['*'] }],
  });
  const chat = await world.chat();
  await chat.send('go');
  const status = await chat.settled();
  const results = (provider.requests[1]?.messages ?? []).filter(({ role }) => role === 'tool');
  return { status, shown: JSON.stringify(results) };
}

/** A rule matches these by their text alone. */
const REFUSED = /SECRETS/;

async function approveAll(): Promise<void> {
  for (const approval of (await world?.approvals({ status: 'pending' })) ?? [])
    await world?.decide(approval, { decision: 'approve', scope: 'once' });
  await world?.quiet();
}

/** The recorded results of the calls. */
async function results(): Promise<string> {
  const messages = [];
  for (const { id } of (await world?.chats()) ?? [])
    messages.push(...((await (await world?.chat(id))?.messages()) ?? []));
  return JSON.stringify(messages.filter(({ role }) => role === 'tool'));
}

describe.skipIf(sandbox.kind !== 'bubblewrap')('a rule about a path applies inside the sandbox', () => {
  const DENY = ['deny *(./secrets/**)'];

  const ways: [string, string][] = [
    ['a search of all files', 'grep -r PLANTED .'],
    ['find -exec', `find . -type f -exec cat {} +`],
    ['an archive', 'tar cf - . --to-stdout'],
    ['a copy of the whole folder', 'cp -r . /tmp/copy; grep -r PLANTED /tmp/copy'],
    ['a link', 'ln -s . all; cat all/secrets/key'],
    ['a hard link', 'ln sec*/key other; cat other'],
    ['a glob', 'cat sec*/k*'],
    ['a variable', 'A=secre; cat ${A}ts/key'],
    ['braces', 'cat sec{re,}ts/key'],
    ['changing to the folder first', 'cd sec*; cat key'],
    ['the process’s /proc folder', 'cat /proc/self/cwd/sec*/key'],
    ['another name of the root', 'cat /proc/1/root$PWD/sec*/key'],
    ['a script', `bash -c "cat $(printf sec)rets/key"`],
    ['an interpreter', `python3 -c "print(open('sec'+'rets/key').read())"`],
    ['moving it away', 'mv sec* away; cat away/key'],
    ['moving what is in it', 'mv sec*/key here; cat here'],
    ['removing what hides it', 'rm -rf sec*; cat sec*/key'],
    ['unmounting what hides it', 'umount sec*; umount -l sec*; cat sec*/key'],
    ['a new namespace', `unshare -Urm bash -c 'umount -l sec*; cat sec*/key'`],
    ['a repository', 'git init -q r; git --work-tree=. --git-dir=r/.git add -A; git --git-dir=r/.git grep PLANTED'],
    ['capital letters', 'cat SECRETS/key Secrets/KEY'],
    ['a here-document', "bash <<'X'\ncat s?crets/key\nX"],
  ];

  // Without the rule, commands that try to uncover the file have nothing to uncover.
  const readable = ways.filter(([, command]) => !/umount|unshare|proc.1|SECRETS|rm -rf|tar/.test(command));

  it.each(sampled(readable, 3))(
    'without the rule, %s reads the file, which proves that the attack works',
    async (_name, command) => {
      expect((await run(command, ALLOW, { mode: 'auto' })).shown).toContain('PLANTED-WORD');
    },
  );

  it.each(sampled(ways, 9))('[RULE1.5] %s can’t reach the file', async (_name, command) => {
    const { status } = await run(command, [...ALLOW, ...DENY], { mode: 'auto' });
    // A person who doesn't notice it approves the call.
    if (status === 'waiting') await approveAll();
    const shown = await results();
    expect(shown).toContain(REFUSED.test(command) ? 'a rule denies this call' : 'hidden from this command');
    expect(shown).not.toContain(SECRET);
    expect(await readFile(join(folder, 'secrets/key'), 'utf8')).toBe(SECRET);
  });

  it('[RULE1] files next to it are unchanged, and the result says that something was hidden', async () => {
    const { status, shown } = await run('cat src/a.txt', [...ALLOW, ...DENY]);
    expect(status).toBe('idle');
    expect(shown).toContain('plain words');
    expect(shown).toContain('hidden from this command');
    expect((await run('cat src/a.txt', ALLOW)).shown).not.toContain('hidden');
  });

  it.each(
    sampled(
      [
        ['a folder by its name alone', 'deny *(./secrets)'],
        ['another spelling of its name', 'deny *(./SECRETS/**)'],
        ['any depth', 'deny *(**/key)'],
        ['a name alone', 'deny *(key)'],
        ['the tool by its name', 'deny shell_cmd(./secrets/**)'],
        ['a part of a name', 'deny *(./sec*/**)'],
        ['an absolute path', ''],
        ['an ask rule without an approval', 'ask *(./secrets/**)'],
      ],
      4,
    ),
  )('[RULE1] applies to a rule that names %s', async (_name, rule) => {
    const written = rule === '' ? `deny *(${folder}/secrets/**)` : rule;
    const { shown } = await run('grep -rs PLANTED .', [...ALLOW, written]);
    expect(shown).not.toContain(SECRET);
  });

  it('[RULE1] a rule whose path is a symlink hides its target', async () => {
    await symlink('secrets', join(folder, 'vault'));
    await symlink('src', join(folder, 'way'));
    await writeFile(join(folder, 'src/pass'), SECRET);
    const rules = [...ALLOW, 'deny *(./vault/**)', 'deny *(./way/pass)'];
    expect((await run('grep -rs PLANTED .', rules)).shown).not.toContain(SECRET);
  });

  it('[RULE1] a rule about a program hides no file of the same name', async () => {
    await mkdir(join(folder, 'terraform'));
    await writeFile(join(folder, 'terraform/main.tf'), 'RESOURCES');
    const { shown } = await run('cat terraform/main.tf', [
      ...ALLOW,
      'deny shell_cmd(terraform *)',
      'deny shell_cmd(terraform)',
    ]);
    expect(shown).toContain('RESOURCES');
  });

  it('[RULE1] an approved call can see the file', async () => {
    const { status } = await run('cat secrets/key', [...ALLOW, 'ask *(./secrets/**)']);
    expect(status).toBe('waiting');
    await approveAll();
    expect(await results()).toContain(SECRET);
  });

  it('[RULE1] a file that does not exist yet can’t be created', async () => {
    const rules = [...ALLOW, 'deny *(./later/**)', 'deny *(*.pem)'];
    const steps = [
      'd=lat; mkdir ${d}er',
      'cp src/a.txt ${d}er/b',
      'p=pe; cp src/a.txt x.${p}m',
      'mkdir y',
      'cp src/a.txt y/b',
    ];
    await run(steps.join('; '), rules, { mode: 'auto' });
    await approveAll();
    const there = ['later', 'x.pem', 'y/b'].map((name) => existsSync(join(folder, name)));
    expect(there).toEqual([false, false, true]);
    expect(await results()).toContain('a rule denies it');
  });

  it('[RULE1] a rule about the folder of all programs is refused with an error, and nothing runs', async () => {
    const { shown } = await run('ls src', [...ALLOW, 'deny *(/usr/**)']);
    expect(shown).toContain('Make the rule narrower');
    expect(shown).not.toContain('a.txt');
  });

  it('[RULE1] hides a file outside the working folder that a rule names', async () => {
    const before = await run('cat /etc/hostname /etc/os-release', ALLOW);
    expect(before.shown).toContain('NAME=');
    const after = await run('cat /etc/os-release', [...ALLOW, 'deny *(/etc/os-rel*)', 'deny *(/usr/lib/os-release)']);
    expect(after.shown).not.toContain('NAME=');
  });
});

describe('without a sandbox', () => {
  it('[SAFE1.5] with a rule about a path, every command needs approval, and the card says why', async () => {
    await link(join(folder, 'secrets/key'), join(folder, 'src/linked'));
    const { status } = await run('cat src/linked', [...ALLOW, 'deny *(./secrets/**)'], { sandbox: none });
    expect(status).toBe('waiting');
    const [approval] = (await world?.approvals()) ?? [];
    expect(approval?.options).toEqual(['deny', 'approve_once']);
    const card = JSON.stringify(await world?.approval(approval?.approvalId ?? ''));
    expect(card).toContain('the call runs without a sandbox that could enforce this rule');
  });

  it('[CALL2] without such a rule, an exact allow rule is enough', async () => {
    const rules = ['allow shell_cmd(cat src/a.txt)', 'deny shell_cmd(rm *)', 'deny read_file(./secrets/**)'];
    expect((await run('cat src/a.txt', rules, { sandbox: none })).status).toBe('idle');
  });
});
