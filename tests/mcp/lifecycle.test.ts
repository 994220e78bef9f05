import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  deleteWorld,
  exportWorld,
  importWorld,
  listGrants,
  listMcpServers,
  removeMcpServer,
  updateAgent,
  updateMcpServer,
} from '@countersign/core';
import { MAY_ALL } from '@countersign/core/testing';
import type { NewMcpServer } from '@countersign/protocol';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { freshFolder, ME, openLab, type Lab } from './support/lab.js';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { PROGRAMS, startHttpServer, stdio } from './support/servers.js';
import { until } from './support/until.js';

const call = (name: string, args: Record<string, unknown> = {}) => ({
  calls: [{ name: `mcp__hostile__${name}`, arguments: args }],
});
const ALLOW = ['allow mcp__hostile__*'];
/** Fails at once, for tests that only need its settings. */
const GONE: NewMcpServer = { name: 'gone', transport: 'stdio', command: '/nowhere/server' };
const sandbox = await sharedSandbox();

async function auditOf(lab: Lab): Promise<string> {
  const { store } = lab.engine.runtime;
  return JSON.stringify(await store.read((reader) => reader.audit(lab.worldId, { after: 0, limit: 1000 })));
}

describe('starting and stopping', () => {
  it('[CALL9] after a restart, a server starts on demand: its tools are known, and the first call starts it', async () => {
    const store = join(await freshFolder(), 'store.db');
    const folder = await freshFolder();
    const before = await openLab({ store, folder, policy: ALLOW, agent: { tools: ['read_file', 'mcp__other__*'] } });
    await before.add(stdio('hostile'));
    await before.running('hostile');
    await before.close();
    const lab = await openLab({ store, folder, script: [call('quiet'), 'Done.', call('quiet'), 'Done.'] });
    const idle = { status: 'idle', tools: expect.arrayContaining(['mcp__hostile__quiet']) as string[] };
    expect(await lab.show('hostile')).toMatchObject(idle);
    // An agent that uses none of its tools does not start it.
    await lab.say('go');
    expect(lab.results().at(-1)).toContain('There is no tool named');
    expect(await lab.show('hostile')).toMatchObject(idle);
    await updateAgent(lab.engine.runtime, lab.worldId, lab.agentId, { tools: ['*'] }, ME);
    await lab.say('go');
    expect(lab.results().at(-1)).toContain('quiet ran');
    expect((await lab.show('hostile')).status).toBe('running');
  });

  it('[WORLD16] a turn waits for the tools of a server that is still starting', async () => {
    const lab = await openLab({ script: [call('quiet'), 'Done.'], policy: ALLOW });
    await lab.add(stdio('hostile'));
    // Runs immediately, while the server is still starting.
    await lab.say('go');
    expect(lab.provider.requests[0]?.tools.map(({ name }) => name)).toContain('mcp__hostile__quiet');
    expect(lab.results().at(-1)).toContain('quiet ran');
  });

  it('[WORLD16] [TURN11] the model is told that a server can’t be started, in our own text and not the server’s', async () => {
    const lab = await openLab({ script: [call('quiet'), 'Done.'], policy: ALLOW });
    await lab.add(stdio('hostile', { args: ['dies-at-once'] }));
    await lab.say('go');
    const [first] = lab.provider.requests;
    expect(first?.tools).toEqual([]);
    expect(first?.messages[0]?.content).toContain('The MCP server "hostile" is not running');
    expect(lab.results().at(-1)).toMatch(/is not running|There is no tool/);
    await expect.poll(() => lab.show('hostile')).toMatchObject({ status: 'failed', error: 'it exited with code 7' });
  });

  it('a server that keeps dying is restarted with increasing delays, and works again when it can', async () => {
    const folder = await freshFolder();
    const program = join(folder, 'server.mjs');
    await writeFile(program, 'process.exit(9);');
    const lab = await openLab({ folder, mcp: { firstPauseMs: 20 } });
    await lab.add({ name: 'shaky', transport: 'stdio', command: process.execPath, args: [program] });
    await until(async () => (await lab.show('shaky')).status === 'failed', 'it fails');
    const failures = (): number =>
      lab.events.filter((event) => event.event === 'crud' && event.data.entity === 'mcp-server').length;
    await until(() => failures() >= 3, 'it is tried again');
    await writeFile(program, `import ${JSON.stringify(PROGRAMS.hostile)};`);
    expect((await lab.running('shaky')).tools).toContain('mcp__shaky__quiet');
  });

  it('[TERM3.2] a server that never answers is reported as such, not as killed by us', async () => {
    const lab = await openLab({ mcp: { connectMs: 500, firstPauseMs: 3_600_000 } });
    const silent = ['-e', 'process.stdin.resume(); setInterval(() => {}, 1000);'];
    await lab.add({ name: 'silent', transport: 'stdio', command: process.execPath, args: silent });
    await until(async () => (await lab.show('silent')).status === 'failed', 'it fails');
    expect((await lab.show('silent')).error).toBe('it did not answer within 0.5 seconds');
  });

  it('[MCP1.2] a package runner without a network that never answers is reported with its sandbox', async () => {
    const folder = await freshFolder();
    const npx = join(folder, 'npx');
    await writeFile(npx, '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
    const lab = await openLab({ folder, mcp: { connectMs: 500, firstPauseMs: 3_600_000 } });
    const added = await lab.add({ name: 'files', transport: 'stdio', command: npx, args: ['-y', 'some-server'] });
    await until(async () => (await lab.show('files')).status === 'failed', 'it fails');
    const isConfined = added.sandbox?.startsWith('none') === false;
    const { cause } = await lab.show('files');
    expect(cause?.code).toBe(isConfined ? 'no-network' : undefined);
  });

  it('[MCP3.1] npx fails at once in a sandbox without network access', async () => {
    const lab = await openLab({ mcp: { firstPauseMs: 3_600_000 } });
    const args = ['-y', '@countersign/no-such-package'];
    const added = await lab.add({ name: 'files', transport: 'stdio', command: 'npx', args });
    if (added.sandbox?.startsWith('none') === true) return;
    await until(async () => (await lab.show('files')).status === 'failed', 'it fails');
    const { error, cause } = await lab.show('files');
    expect(error).toContain('ENOTCACHED');
    expect(cause).toEqual({ code: 'no-network', runner: 'npx', hosts: [expect.any(String)] });
  });

  it('[MCP1.2] the log of a failed attempt stays until the next one has ended', async () => {
    const folder = await freshFolder();
    const program = join(folder, 'server.mjs');
    const mark = join(folder, 'tried');
    // The first attempt fails; the second one never answers.
    await writeFile(
      program,
      `import { existsSync, writeFileSync } from 'node:fs';
      if (!existsSync(${JSON.stringify(mark)})) {
        writeFileSync(${JSON.stringify(mark)}, '');
        console.error('no disk');
        process.exit(1);
      }
      writeFileSync(${JSON.stringify(`${mark} again`)}, '');
      setInterval(() => {}, 1000);`,
    );
    const lab = await openLab({ folder, mcp: { firstPauseMs: 20 } });
    await lab.add({ name: 'shaky', transport: 'stdio', command: process.execPath, args: [program] });
    await until(() => existsSync(`${mark} again`), 'it is tried again');
    expect((await lab.show('shaky')).log?.join()).toContain('no disk');
  });

  it('[TERM3.2] a server that failed is restarted immediately when a person changes any setting of it', async () => {
    const folder = await freshFolder();
    const program = join(folder, 'server.mjs');
    await writeFile(program, 'process.exit(9);');
    const lab = await openLab({ folder, mcp: { firstPauseMs: 3_600_000 } });
    await lab.add({ name: 'shaky', transport: 'stdio', command: process.execPath, args: [program] });
    await until(async () => (await lab.show('shaky')).status === 'failed', 'it fails');
    await writeFile(program, `import ${JSON.stringify(PROGRAMS.hostile)};`);
    await updateMcpServer(lab.engine.runtime, lab.worldId, 'shaky', { trusted: true }, ME, MAY_ALL);
    expect((await lab.running('shaky')).tools).toContain('mcp__shaky__quiet');
  });

  it('[CALL14] disabling a server stops it and removes its tools; enabling it brings them back', async () => {
    const lab = await openLab({ script: [call('quiet'), 'Done.'], policy: ALLOW });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const { runtime } = lab.engine;
    const off = await updateMcpServer(runtime, lab.worldId, 'hostile', { enabled: false }, ME, MAY_ALL);
    expect(off.value.status).toBe('off');
    expect([...runtime.tools(lab.worldId).keys()]).toEqual(['review_call']);
    await lab.say('go');
    expect(lab.results().at(-1)).toContain('There is no tool named');
    await updateMcpServer(runtime, lab.worldId, 'hostile', { enabled: true }, ME, MAY_ALL);
    await lab.running('hostile');
    expect([...runtime.tools(lab.worldId).keys()]).toContain('mcp__hostile__quiet');
  });

  it('[STORE3] no process of a server is left after the engine is closed, its world deleted or the server removed', async () => {
    const processes = async (folder: string): Promise<string[]> => {
      const { processesIn } = await import('../../packages/tools/src/testing/try-tool.js');
      return processesIn(folder);
    };
    const ends: ((lab: Lab) => Promise<void>)[] = [
      (lab) => lab.close(),
      (lab) => deleteWorld(lab.engine.runtime, lab.worldId, ME),
      (lab) => removeMcpServer(lab.engine.runtime, lab.worldId, 'hostile', ME),
    ];
    for (const end of ends) {
      const lab = await openLab({ mcp: { sandbox: { kind: 'none', reason: 'left out on purpose' } } });
      await lab.add(stdio('hostile'));
      expect((await lab.running('hostile')).sandbox).toBe('none: left out on purpose');
      expect((await processes(lab.folder)).length).toBeGreaterThan(0);
      await end(lab);
      expect(await processes(lab.folder)).toEqual([]);
    }
  });

  it('[STORE3] an HTTP server that disappears during a call leaves its outcome unknown, and is used again when it is back', async () => {
    const port = await freePort();
    const { url, kill } = await startHttpServer([PROGRAMS.everything, 'streamableHttp'], port);
    const slow = {
      calls: [{ name: 'mcp__far__trigger-long-running-operation', arguments: { duration: 600, steps: 600 } }],
    };
    const echo = { calls: [{ name: 'mcp__far__echo', arguments: { message: 'ahoy' } }] };
    const lab = await openLab({ script: [slow, 'Done.', echo, 'Done.'], policy: ['allow mcp__far__*'] });
    await lab.add({ name: 'far', transport: 'http', url });
    await lab.running('far');
    const said = lab.say('go');
    // The first progress message: the call has arrived at the server.
    await until(() => lab.events.some(({ event }) => event === 'tool-output'), 'the server reports progress');
    await kill();
    await said;
    expect(lab.results().at(-1)).toMatch(/outcome unknown/);
    await startHttpServer([PROGRAMS.everything, 'streamableHttp'], port);
    await lab.say('and now');
    expect(lab.results().at(-1)).toContain('Echo: ahoy');
  });
});

describe.skipIf(sandbox.kind !== 'bubblewrap')('the sandbox around a server', () => {
  it('[MCP1] it has only the declared environment, the working folder, no home and no network', async () => {
    process.env['COUNTERSIGN_TEST_SECRET'] = 'of-the-parent';
    // Version managers would add folders of the user's home to PATH.
    const path = process.env['PATH'];
    process.env['PATH'] = '/usr/bin:/bin';
    onTestFinished(() => void (process.env['PATH'] = path));
    const folder = await freshFolder();
    await writeFile(join(folder, 'inside.txt'), 'inside');
    const outside = join(await freshFolder(), 'outside.txt');
    await writeFile(outside, 'outside');
    const paths = [join(folder, 'inside.txt'), outside, join(homedir(), '.profile'), '/proc/net/dev'];
    const lab = await openLab({
      folder,
      policy: ALLOW,
      script: [
        {
          calls: [
            ...paths.map((path) => ({ name: 'mcp__hostile__look', arguments: { path } })),
            { name: 'mcp__hostile__environment' },
          ],
        },
        'Done.',
        {
          calls: [join(folder, 'new.txt'), outside].map((path) => ({
            name: 'mcp__hostile__write',
            arguments: { path },
          })),
        },
        'Done.',
      ],
      mcp: { hide: [outside] },
    });
    await lab.add(stdio('hostile', { env: { GREETING: 'hello there' } }));
    const { sandbox: words } = await lab.running('hostile');
    expect(words).toMatch(/^bubblewrap, no network/);
    const chat = await lab.say('look');
    const results = lab.results().map((text) => (JSON.parse(text) as { result: string }).result);
    expect(results[0]).toBe('inside');
    expect(results[1]).toMatch(/^failed/);
    expect(results[2]).toMatch(/^failed/);
    expect(results[3]).not.toMatch(/eth|wlan/);
    const environment = JSON.parse(results[4] ?? '{}') as Record<string, string>;
    expect(environment['GREETING']).toBe('hello there');
    expect(Object.keys(environment).sort()).toEqual(
      ['GREETING', 'HOME', 'LANG', 'PATH', 'PWD', 'TERM', 'TMPDIR'].filter((key) => key in environment),
    );
    expect(environment['PATH']).not.toContain('node_modules');
    await lab.say('write', chat);
    expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('written');
    expect(await readFile(outside, 'utf8')).toBe('outside');
  });
});

describe('the secrets of a server', () => {
  const SECRET = 'hunter2-of-the-harbour-9x8Y7z';

  it('[SAFE6] never appear in lists, cards, events, results, errors, logs or the audit log', async () => {
    const lab = await openLab({ script: [call('environment'), 'Done.'], policy: ALLOW });
    await lab.add(stdio('hostile', { args: ['says-secret', '--api-key', SECRET], env: { TOKEN: SECRET } }));
    const shown = await lab.running('hostile');
    expect(shown).toMatchObject({
      env: ['TOKEN'],
      args: expect.arrayContaining([
        '--api-key',
        `hunt‹masked 1: ${SECRET.length - 8} characters›${SECRET.slice(-4)}`,
      ]) as string[],
    });
    // The server's stderr arrives separately from its status.
    await expect.poll(async () => (await lab.show('hostile')).log?.join('\n')).toContain('my token is [TOKEN]');
    await lab.say('go');
    expect(lab.results().at(-1)).toContain('‹masked›');
    const all = [
      JSON.stringify(await listMcpServers(lab.engine.runtime, lab.worldId)),
      JSON.stringify(shown),
      JSON.stringify(lab.events),
      JSON.stringify(lab.provider.requests.map(({ messages }) => messages)),
      JSON.stringify(await exportWorld(lab.engine.runtime, lab.worldId)),
      await auditOf(lab),
    ];
    for (const text of all) expect(text).not.toContain(SECRET);
  });

  it('[SAFE6] are not shown by a failed server either', async () => {
    const { url } = await startHttpServer(
      [
        '-e',
        `require('http').createServer((q, r) => { r.statusCode = 401; r.end('no: ' + q.headers.authorization); }).listen(process.env.PORT, '127.0.0.1')`,
      ],
      await freePort(),
    );
    const lab = await openLab();
    await lab.add({ name: 'far', transport: 'http', url, headers: { Authorization: `Bearer ${SECRET}` } });
    await until(async () => (await lab.show('far')).status === 'failed', 'it fails');
    const shown = await lab.show('far');
    expect(shown.headers).toEqual(['Authorization']);
    expect(shown.error).toMatch(/401|no:/);
    expect(JSON.stringify([shown, lab.events])).not.toContain(SECRET);
  });

  it('[HTTP2] [MCP2.1] a change keeps omitted values, `null` keeps an unseen value, and a mask is replaced with its value', async () => {
    const lab = await openLab();
    const env = { TOKEN: SECRET, OLD: 'old-value' };
    await lab.add({ ...GONE, name: 'hostile', args: ['plain', '--api-key', SECRET], env });
    const shown = await lab.show('hostile');
    const { runtime } = lab.engine;
    const args = [...(shown.args ?? []), 'more'];
    // Another command line needs the values again.
    for (const change of [{ args }, { command: 'env' }, { args, env: { TOKEN: null, OLD: 'old-value' } }])
      await expect(updateMcpServer(runtime, lab.worldId, 'hostile', change, ME, MAY_ALL)).rejects.toMatchObject({
        field: 'env.TOKEN',
      });
    await updateMcpServer(
      runtime,
      lab.worldId,
      'hostile',
      { args, env: { TOKEN: SECRET, OLD: 'old-value' } },
      ME,
      MAY_ALL,
    );
    await updateMcpServer(runtime, lab.worldId, 'hostile', { env: { TOKEN: null, NEW: 'x' } }, ME, MAY_ALL);
    const stored = await runtime.store.read((reader) => reader.mcpServer(lab.worldId, 'hostile'));
    expect(stored?.definition).toMatchObject({
      args: ['plain', '--api-key', SECRET, 'more'],
      env: { TOKEN: SECRET, NEW: 'x' },
    });
    const refusals = [
      { env: { NEVER: null } },
      { args: ['‹masked 9›'] },
      { url: 'http://127.0.0.1/' },
      { nothing: true },
    ] as unknown as Parameters<typeof updateMcpServer>[3][];
    for (const change of refusals) {
      await expect(updateMcpServer(runtime, lab.worldId, 'hostile', change, ME, MAY_ALL)).rejects.toMatchObject({
        code: 'invalid',
      });
    }
    expect(await runtime.store.read((reader) => reader.mcpServer(lab.worldId, 'hostile'))).toEqual(stored);
  });
});

describe('people and servers', () => {
  it('[MCP2.1] encrypted values are not replaced with plain text by a process without the secrets key', async () => {
    const { engine, worldId } = await openLab();
    const { runtime } = engine;
    const definition = {
      ...{ name: 'vault', transport: 'stdio' as const, command: 'vault', args: [], env: { TOKEN: '' } },
      ...{ network: false, trusted: false, enabled: false },
    };
    const record = {
      worldId,
      name: 'vault',
      definition,
      sealed: 'v1.key.nonce.body',
      signIn: null,
      firstListedAt: null,
      createdAt: 1,
    };
    await runtime.store.transact(worldId, (tx) => tx.insertMcpServer(record));
    const change = { command: 'vault', env: { TOKEN: 'in plain text' } };
    await expect(updateMcpServer(runtime, worldId, 'vault', change, ME, MAY_ALL)).rejects.toThrow(
      'the values of the MCP server "vault" are encrypted, and this process has no secrets key',
    );
    await updateMcpServer(runtime, worldId, 'vault', { trusted: true }, ME, MAY_ALL);
    const after = { ...record, definition: { ...definition, trusted: true } };
    expect(await runtime.store.read((reader) => reader.mcpServer(worldId, 'vault'))).toEqual(after);
  });

  it('[CALL7] [CALL17.4] grants end when a server is changed or removed, and earlier calls need approval again', async () => {
    const lab = await openLab({ script: [call('quiet'), 'Done.', call('quiet'), 'Done.', call('quiet')] });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const { runtime } = lab.engine;
    const chat = await lab.say('go');
    const approve = async (): Promise<unknown> => {
      const [approval] = await lab.pending();
      return approval === undefined
        ? undefined
        : await lab.decide(approval, { decision: 'approve', scope: 'session', pattern: '*' });
    };
    await approve();
    await lab.settled(chat);
    expect(await listGrants(runtime, lab.worldId)).toHaveLength(1);
    await updateMcpServer(runtime, lab.worldId, 'hostile', { args: [PROGRAMS.hostile, 'plain', 'other'] }, ME, MAY_ALL);
    expect(await listGrants(runtime, lab.worldId)).toEqual([]);
    await lab.running('hostile');
    await lab.say('go', chat);
    await updateMcpServer(
      runtime,
      lab.worldId,
      'hostile',
      { args: [PROGRAMS.hostile, 'plain', 'another'] },
      ME,
      MAY_ALL,
    );
    expect(await approve()).toMatchObject({ kind: 'refused', code: 'changed' });
    await approve();
    await lab.settled(chat);
    expect(await listGrants(runtime, lab.worldId)).toHaveLength(1);
    await removeMcpServer(runtime, lab.worldId, 'hostile', ME);
    expect(await listGrants(runtime, lab.worldId)).toEqual([]);
    expect(await auditOf(lab)).toMatch(
      /MCP server added.*MCP server changed.*its MCP server was changed.*MCP server removed/s,
    );
  });

  it('[LOG1.1] every change is in the audit log with its author, and clients are notified', async () => {
    const lab = await openLab();
    await lab.add({ ...GONE, trusted: true });
    await updateMcpServer(lab.engine.runtime, lab.worldId, 'gone', { trusted: false }, ME, MAY_ALL);
    await removeMcpServer(lab.engine.runtime, lab.worldId, 'gone', ME);
    const { store } = lab.engine.runtime;
    const audit = await store.read((reader) => reader.audit(lab.worldId, { after: 0, limit: 1000 }));
    const said = audit
      .filter(({ decision }) => decision?.startsWith('MCP server'))
      .map(({ kind, decision, who }) => ({ kind, decision, who }));
    expect(said).toEqual(
      ['added', 'trusted', 'no longer trusted', 'removed'].map((what) => ({
        kind: 'policy',
        decision: `MCP server ${what}`,
        who: ME.who,
      })),
    );
    const heard = lab.events.flatMap((event) =>
      event.event === 'crud' && event.data.entity === 'mcp-server' ? [event.data.operation] : [],
    );
    expect(heard[0]).toBe('create');
    expect(heard).toContain('update');
    expect(heard.at(-1)).toBe('delete');
  });

  it('[HTTP2] an import is inert: disabled and untrusted, whatever the file says', async () => {
    const lab = await openLab();
    await lab.add({ ...GONE, trusted: true, env: { TOKEN: 'hunter2-of-the-harbour' } });
    const file = await exportWorld(lab.engine.runtime, lab.worldId);
    expect(file.mcpServers).toMatchObject([{ name: 'gone', trusted: true, env: { TOKEN: '' } }]);
    const { id, notes } = await importWorld(lab.engine.runtime, file, ME);
    expect(notes).toContainEqual(expect.stringContaining('1 MCP server is turned off and not trusted'));
    expect(await listMcpServers(lab.engine.runtime, id)).toMatchObject([
      { name: 'gone', enabled: false, trusted: false, status: 'off', env: ['TOKEN'] },
    ]);
    const [server] = file.mcpServers;
    const twice = importWorld(lab.engine.runtime, { ...file, mcpServers: [server, server] }, ME);
    await expect(twice).rejects.toMatchObject({ code: 'invalid', field: 'mcpServers.1.name' });
  });

  it('[HTTP1] invalid input is refused with an error at its field, and a name can be used only once', async () => {
    const lab = await openLab();
    await expect(lab.add({ ...GONE, name: 'Not A Name' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'name',
    });
    await lab.add(GONE);
    await expect(lab.add(GONE)).rejects.toMatchObject({ code: 'conflict', field: 'name' });
    await expect(lab.show('nobody')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('[MCP1] refuses a variable that would take effect outside the sandbox, and says why', async () => {
    const lab = await openLab();
    await lab.add(stdio('hostile', { env: { LD_PRELOAD: 'x' } }));
    await until(async () => (await lab.show('hostile')).status === 'failed', 'it fails');
    expect((await lab.show('hostile')).error).toContain('LD_PRELOAD would take effect outside the sandbox');
  });
});
