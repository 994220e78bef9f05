import { link, mkdir, readFile as read, symlink, writeFile as write } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describeSandbox, editFile, readFile, shellCmd, writeFile, type ShellOptions } from '@countersign/tools';
import { sharedSandbox } from '../../../tests/support/shared-sandbox.js';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { closeTestWorlds, openTestWorld, tool, type TestWorldOptions } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { lastResults, obedient, propose, recorder } from './testing/obedient.js';

afterEach(closeTestWorlds);
const folder = freshFolder();
const sandbox = await sharedSandbox();
const none = { kind: 'none', reason: 'left out on purpose' } as const;

const run = (command: string) => ({ name: 'shell_cmd', arguments: { command } });
const put = (path: string) => ({ name: 'write_file', arguments: { path, content: 'new' } });

type Shell = Pick<ShellOptions, 'hide' | 'outside'>;

async function open(options: TestWorldOptions & Shell & { without?: true } = {}) {
  const { without, hide = [], outside, tools = [], ...rest } = options;
  const workingDirectory = folder('work');
  await mkdir(workingDirectory, { recursive: true });
  const kept = without === true ? none : sandbox;
  const t = await openTestWorld({
    script: obedient,
    workingDirectory,
    mode: 'auto',
    sandbox: describeSandbox(kept),
    ...rest,
    tools: [
      shellCmd({ sandbox: kept, hide, ...(outside && { outside }) }),
      readFile(),
      writeFile(),
      editFile(),
      ...tools,
    ],
  });
  return { ...t, workingDirectory, at: (name: string) => join(workingDirectory, name) };
}

describe('auto mode', () => {
  it.runIf(sandbox.kind !== 'none')('[RULE2] needs no approval inside the sandbox and the working folder', async () => {
    const t = await open();
    expect(await propose(t, run('echo "$HOME" > out.txt; cat *.txt'), put('a/b.txt'))).toBe('idle');
    expect(t.toolEvents().map(({ type }) => type)).not.toContain('TOOL_APPROVAL_REQUESTED');
    expect(await read(t.at('a/b.txt'), 'utf8')).toBe('new');
    expect(await read(t.at('out.txt'), 'utf8')).toBe('/tmp\n');
  });

  it('[RULE2] requires approval if there is no sandbox', async () => {
    const t = await open({ without: true });
    expect(await propose(t, run('true'))).toBe('waiting');
    expect(await t.onlyApproval()).toMatchObject({
      reason: { code: 'leaves-sandbox' },
      sandbox: { kind: 'none' },
    });
  });

  it('[RULE2.2] requires approval for files that may run later outside the sandbox, and for hard links', async () => {
    const t = await open();
    await write(folder('outside'), 'old');
    await link(folder('outside'), t.at('linked'));
    expect(await propose(t, put('.git/hooks/pre-commit'), put('.vscode/tasks.json'), put('linked'))).toBe('waiting');
    const approvals = await t.world.approvals();
    expect(approvals.map(({ options }) => options)).toEqual(Array.from({ length: 3 }, () => ['deny', 'approve_once']));
    expect(approvals[2]?.reason).toEqual({ code: 'every-call', cause: { code: 'hard-links', count: 2 } });
    for (const approval of approvals) await t.world.decide(approval, { decision: 'approve' });
    await t.chat.settled();
    expect(await read(folder('outside'), 'utf8')).toBe('old');
  });

  it('[RULE2] requires approval for tools that don’t declare themselves contained, and for external tools that do', async () => {
    const { tool: other } = recorder('other');
    const boasting = { ...tool('boasting', async () => 'ran'), trusted: false, contained: () => true };
    const failing = { ...recorder('failing').tool, contained: () => JSON.parse('{') === 1 };
    const t = await open({ tools: [other, boasting, failing] });
    expect(await propose(t, { name: 'other' }, { name: 'boasting' }, { name: 'failing' })).toBe('waiting');
    expect(await t.world.approvals()).toHaveLength(3);
  });

  it.runIf(sandbox.kind !== 'none')('[RULE1] [RULE2] deny and ask rules apply inside the sandbox too', async () => {
    const t = await open({ policy: ['deny shell_cmd(rm *)', 'ask shell_cmd(git push *)', 'deny *(./secrets/**)'] });
    await propose(t, run('sh -c "rm x"'), run('ls > secrets/x'), put('secrets/a'));
    expect(t.toolEvents().map(({ type }) => type)).toEqual(['TOOL_DENIED', 'TOOL_DENIED', 'TOOL_DENIED']);
    // All its commands are known, and no rule matches them.
    expect(await propose(t, run('echo a > b; timeout 5 cat b'))).toBe('idle');
    expect(await propose(t, run('$(echo rm) x'))).toBe('waiting');
    expect(await t.onlyApproval()).toMatchObject({
      reason: { code: 'unpredictable', cause: { code: 'command-substitution' } },
    });
  });
});

describe('read mode', () => {
  it('[RULE2] runs only calls that change nothing', async () => {
    const t = await open({ mode: 'read', policy: ['allow *'] });
    await write(t.at('a.txt'), 'text');
    await propose(t, run('true'), put('b'), { name: 'read_file', arguments: { path: 'a.txt' } });
    expect(
      t.toolEvents().flatMap(({ type, tool_name: name }) => (type === 'TOOL_EXECUTION_SUCCEEDED' ? [name] : [])),
    ).toEqual(['read_file']);
  });
});

describe('reading a hard link', () => {
  it('[RULE2.2] requires approval if a rule is about certain files, and only then', async () => {
    const t = await open({ mode: 'ask' });
    await mkdir(t.at('secrets'));
    await write(t.at('secrets/key'), 'the key');
    await link(t.at('secrets/key'), t.at('innocent.txt'));
    const innocent = { name: 'read_file', arguments: { path: 'innocent.txt' } };
    expect(await propose(t, innocent)).toBe('idle');
    await t.world.setPolicy(['deny read_file(./secrets/**)', 'allow read_file(./**)']);
    expect(await propose(t, innocent)).toBe('waiting');
  });
});

describe.runIf(sandbox.kind !== 'none')('a folder that a rule opens to the sandbox', () => {
  // Outside the working folder, in a temporary folder that commands can't see.
  const lib = () => folder('lib');

  async function openWithLibrary(options: Parameters<typeof open>[0]) {
    await mkdir(join(lib(), 'secret'), { recursive: true });
    await write(join(lib(), 'a.txt'), 'from the library\n');
    return await open(options);
  }
  const output = (t: Parameters<typeof lastResults>[0]) => JSON.stringify(lastResults(t));
  const look = () => run(`cat ${join(lib(), 'a.txt')} 2>&1 || true`);

  it('[SAFE5] can be read by commands, is shown on the card and is part of the call hash', async () => {
    const t = await openWithLibrary({ mode: 'ask' });
    await propose(t, look());
    const before = await t.onlyApproval();
    await t.world.setPolicy([`allow sandbox_folder(${lib()}/**)`]);
    expect(await t.world.decide(before, { decision: 'approve' })).toMatchObject({ status: 409 });
    const after = await t.onlyApproval();
    expect(after.sandbox).toEqual({ ...before.sandbox, readable: [lib()] });
    await t.world.decide(after, { decision: 'approve' });
    await t.chat.settled();
    expect(output(t)).toContain('from the library');
  });

  it.each([
    ['no rule allows it', []],
    ['a rule denies it', ['allow sandbox_folder(LIB)', 'deny *(LIB/**)']],
    ['a rule denies something in it', ['allow sandbox_folder(LIB)', 'deny *(LIB/secret/**)']],
    ['a rule asks about it', ['allow sandbox_folder(LIB)', 'ask sandbox_folder(LIB)']],
    [
      'a rule would open everything',
      ['allow sandbox_folder(/**)', 'allow sandbox_folder(/)', 'allow sandbox_folder(~)'],
    ],
    [
      'a rule has no absolute path',
      ['allow sandbox_folder(lib)', 'allow sandbox_folder(**/lib)', 'allow sandbox_folder'],
    ],
  ])('[SAFE5] stays closed if %s', async (_, rules) => {
    const t = await openWithLibrary({ policy: rules.map((rule) => rule.replaceAll('LIB', lib())) });
    await propose(t, run(`cat "$PWD"/../lib/a.txt 2>&1 || true`));
    for (const approval of await t.world.approvals()) await t.world.decide(approval, { decision: 'approve' });
    await t.chat.settled();
    expect(output(t)).not.toContain('from the library');
    expect(output(t)).toMatch(/No such file|is not allowed/);
  });

  it('[SAFE5.4] is not opened through a link in a folder that agents write to', async () => {
    const t = await openWithLibrary({});
    const path = t.at('link');
    await symlink(lib(), path);
    await t.world.setPolicy([`allow sandbox_folder(${path})`]);
    await propose(t, look());
    expect(output(t)).toContain('must not reach');
    expect(output(t)).not.toContain('from the library');
  });

  it('[SAFE1] never opens our own files', async () => {
    const t = await openWithLibrary({ hide: [join(lib(), 'secret')], policy: [`allow sandbox_folder(${lib()})`] });
    await propose(t, look());
    expect(output(t)).toContain('must not reach');
    expect(output(t)).not.toContain('from the library');
  });
});

describe.runIf(sandbox.kind === 'bubblewrap')('a host that a rule opens to the sandbox', () => {
  const PUBLIC = '93.184.216.34';
  const reached: string[] = [];

  /** No request leaves the machine: outgoing connections go to a server of this test. */
  async function openWithSite(options: TestWorldOptions) {
    reached.length = 0;
    const site = createServer((_, response) => response.end('from the site'));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const { port } = site.address() as AddressInfo;
    return await open({
      ...options,
      outside: {
        network: {
          resolve: (host) => Promise.resolve([{ address: host === 'inner.test' ? '10.0.0.1' : PUBLIC, family: 4 }]),
          mayConnect: (address) => !address.startsWith('10.'),
        },
        connect: (address) => {
          reached.push(address);
          return connect(port, '127.0.0.1');
        },
      },
    });
  }
  const fetching = (host: string) =>
    run(
      `exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'GET http://${host}/ HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3 || echo no way out`,
    );
  const answers = async (t: Awaited<ReturnType<typeof openWithSite>>, ...hosts: string[]) => {
    const found: boolean[] = [];
    for (const host of hosts) {
      await propose(t, fetching(host));
      for (const approval of await t.world.approvals()) await t.world.decide(approval, { decision: 'approve' });
      await t.chat.settled();
      found.push(JSON.stringify(lastResults(t)).includes('from the site'));
    }
    return found;
  };

  it('[SAFE5] is reachable by commands, unlike other hosts and private addresses', async () => {
    const t = await openWithSite({ policy: ['allow sandbox_network(*.test)', 'deny *(bad.test)'] });
    const hosts = ['good.test', 'other.org', 'bad.test', 'inner.test', '93.184.216.35', '10.0.0.1'];
    expect(await answers(t, ...hosts)).toEqual([true, false, false, false, false, false]);
    expect(reached).toEqual([PUBLIC]);
    expect(t.toolEvents().map(({ type }) => type)).not.toContain('TOOL_APPROVAL_REQUESTED');
  });

  it('[SAFE5.1] at a private address is reachable only if a rule names the address and the port', async () => {
    const policy = [
      'allow sandbox_network(*.test)',
      'allow sandbox_network(10.0.0.1:4873)',
      'allow sandbox_network(10.0.0.*:80)',
      'allow sandbox_network(10.0.0.2)',
      'allow sandbox_network(localhost:4874)',
      'allow sandbox_network(10.0.0.9:80)',
      'deny sandbox_network(10.0.0.9)',
      'allow sandbox_network(far.org:4873)',
    ];
    const t = await openWithSite({ policy });
    // A name that resolves to what a rule names is reachable there and nowhere else, so controlling its DNS gains
    // nothing.
    expect(await answers(t, '10.0.0.1:4873', 'inner.test:4873', 'localhost:4874')).toEqual([true, true, true]);
    expect(reached).toEqual(['10.0.0.1', '10.0.0.1', '127.0.0.1']);
    const closed = [
      '10.0.0.1',
      '10.0.0.2',
      '10.0.0.3',
      '10.0.0.9',
      'inner.test',
      'localhost',
      'localhost:4873',
      'far.org:4873',
    ];
    expect(await answers(t, ...closed)).toEqual(closed.map(() => false));
    expect(reached).toHaveLength(3);
  });

  it('[SAFE5] is shown on the card; if any host is open, auto mode requires approval', async () => {
    const t = await openWithSite({ policy: ['allow sandbox_network'] });
    expect(await propose(t, fetching('good.test'))).toBe('waiting');
    expect((await t.onlyApproval()).sandbox).toMatchObject({ kind: 'bubblewrap', network: 'public' });
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.chat.settled();
    expect(JSON.stringify(lastResults(t))).toContain('from the site');
  });

  it('[SAFE5.2] [CHANGE8.5] can be named by a call, which always needs its own approval and is not rehearsed', async () => {
    const t = await openWithSite({ policy: ['allow shell_cmd', 'deny sandbox_network(bad.test)'] });
    const to = (host: string, ...hosts: string[]) => {
      const { name, arguments: args } = fetching(host);
      return { name, arguments: { ...args, hosts } };
    };
    expect(await propose(t, to('good.test', 'good.test'))).toBe('waiting');
    const approval = await t.onlyApproval();
    expect(approval).toMatchObject({
      sandbox: { network: 'listed', hosts: ['good.test'] },
      noEffect: { reason: 'network' },
      options: ['deny', 'approve_once'],
      reason: { code: 'every-call', cause: { code: 'opens-hosts', hosts: 'good.test' } },
    });
    await t.world.decide(approval, { decision: 'approve' });
    await t.chat.settled();
    expect(JSON.stringify(lastResults(t))).toContain('from the site');
    // Only these hosts, and none that a rule denies or that aren't public.
    await propose(t, to('other.test', 'good.test'));
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.chat.settled();
    expect(await propose(t, to('bad.test', 'bad.test'))).toBe('idle');
    expect(await propose(t, to('10.0.0.1', '10.0.0.1/x'))).toBe('idle');
    expect(reached).toEqual([PUBLIC]);
  });

  it('[CHANGE8.6] [CALL7.4] can be allowed once for a rehearsed call, by an edit that is shown before it is signed', async () => {
    const t = await openWithSite({ policy: ['allow sandbox_network(10.0.0.1:4873)'] });
    await t.world.update({ mode: 'ask' });
    const call = fetching('good.test');
    await propose(t, call);
    const old = await t.onlyApproval();
    // The rule for a private address doesn't switch rehearsals off.
    expect(old.effect).toMatchObject({ triedHosts: ['good.test'] });
    const edit = { decision: 'approve', arguments: { ...call.arguments, hosts: ['good.test'] } } as const;
    expect(await t.world.decide(old, edit)).toMatchObject({ status: 409, code: 'changed' });
    const edited = await t.onlyApproval();
    expect(edited).toMatchObject({ noEffect: { reason: 'network' }, arguments: { hosts: ['good.test'] } });
    expect(edited.callHash).not.toBe(old.callHash);
    expect(reached).toEqual([]);
    await t.world.decide(edited, { decision: 'approve' });
    await t.chat.settled();
    expect(JSON.stringify(lastResults(t))).toContain('from the site');
    expect(reached).toEqual([PUBLIC]);
  });

  it.each([[[]], [['allow *', 'allow *(good.test)']], [['allow sandbox_network(good.test)', 'ask sandbox_network']]])(
    '[SAFE5] with %j nothing outside is reachable',
    async (policy) => {
      const t = await openWithSite({ policy });
      expect(await answers(t, 'good.test')).toEqual([false]);
      expect(reached).toEqual([]);
    },
  );
});
