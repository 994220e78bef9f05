import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMcpContext, setPolicy, showPolicy, testMcpServer, updateMcpServer } from '@countersign/core';
import { MAY_ALL } from '@countersign/core/testing';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { describe, expect, it } from 'vitest';
import { freshFolder, ME, openLab, type Lab } from './support/lab.js';
import { PROGRAMS, stdio } from './support/servers.js';

const sandbox = await sharedSandbox();
const SECRET = 'THE-PLANTED-WORD';

async function openFiles(policy: string[], mcp = {}): Promise<Lab> {
  const folder = await freshFolder();
  await mkdir(join(folder, 'secrets'));
  await writeFile(join(folder, 'secrets/key'), SECRET);
  await writeFile(join(folder, 'plain'), 'plain words');
  await symlink('secrets', join(folder, 'way'));
  const lab = await openLab({
    folder,
    policy: ['allow mcp__filesystem__*', ...policy],
    mcp,
    script: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== 'user') return 'done';
      return {
        calls: [{ name: 'mcp__filesystem__read_text_file', arguments: { path: last.content.split(' ').at(-1) } }],
      };
    },
  });
  await lab.add(stdio('filesystem', { args: [folder] }));
  await lab.running('filesystem');
  return lab;
}

describe.skipIf(sandbox.kind !== 'bubblewrap')('an MCP server in its sandbox', () => {
  it('[RULE1] [SAFE1] can’t reach a path that a rule denies, under any name', async () => {
    const open = await openFiles([]);
    await open.say(`read ${open.folder}/way/key`);
    expect(open.results().join('')).toContain(SECRET);

    const lab = await openFiles(['deny *(./secrets/**)']);
    await lab.say(`read ${lab.folder}/way/key`);
    expect(lab.results().join('')).toMatch(/ENOENT|denied/i);
    await lab.say(`read ${lab.folder}/plain`);
    expect(lab.results().join('')).toContain('plain words');
    expect(JSON.stringify(lab.provider.requests)).not.toContain(SECRET);
  });

  it('[MCP1.3] reads the folders of its own definition, which its card lists, and refuses forbidden ones', async () => {
    const [folder, more] = [await freshFolder(), await freshFolder()];
    await writeFile(join(more, 'extra'), 'extra words');
    await mkdir(join(more, 'denied'));
    const lab = await openLab({
      folder,
      policy: [`deny *(${more}/denied/**)`],
      script: ({ messages }) =>
        messages.at(-1)?.role === 'user' ? { calls: [{ name: 'mcp__memory__read_graph', arguments: {} }] } : 'done',
    });
    const start = `cat ${more}/extra >&2; exec "${process.execPath}" "${PROGRAMS.memory}"`;
    await lab.add({ name: 'memory', transport: 'stdio', command: 'bash', args: ['-c', start], folders: [more] });
    const { log = [] } = await lab.running('memory');
    expect(log.join('')).toContain('extra words');
    await lab.say('read it');
    const [asked] = await lab.pending();
    if (asked === undefined) throw new Error('nothing was asked');
    expect(asked.sandbox.readable).toContain(more);

    const failing = async (folders: string[]): Promise<string> => {
      await updateMcpServer(lab.engine.runtime, lab.worldId, 'memory', { folders }, ME, MAY_ALL);
      return (await testMcpServer(lab.engine.runtime, lab.worldId, 'memory')).error ?? '';
    };
    expect(await failing([join(more, 'missing')])).toContain('does not exist');
    expect(await failing([join(more, 'denied')])).toContain('is denied by a rule');
    expect(await failing(['~/'])).toContain('may not read ~/');
  });

  it('[RULE1] is restarted when a rule is added, and when a file that a rule names appears', async () => {
    const lab = await openFiles([]);
    await lab.say(`read ${lab.folder}/way/key`);
    expect(lab.results().join('')).toContain(SECRET);
    const { version } = await showPolicy(lab.engine.runtime, lab.worldId);
    const rules = ['allow mcp__filesystem__*', 'deny mcp__filesystem__*(./secrets/**)', 'deny *(./later)'];
    await setPolicy(lab.engine.runtime, lab.worldId, rules, ME, { expected: [version] });
    await lab.say(`read ${lab.folder}/way/key`);
    expect(lab.results().at(-1)).toMatch(/ENOENT|denied/i);

    await writeFile(join(lab.folder, 'later'), SECRET);
    await symlink('later', join(lab.folder, 'other'));
    await lab.say(`read ${lab.folder}/other`);
    expect(lab.results().at(-1)).not.toContain(SECRET);
  });

  it('[RULE1] is restarted when a rule is added, before a person reads one of its resources', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'key'), SECRET);
    const lab = await openLab({ folder });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const { runtime } = lab.engine;
    const read = () => readMcpContext(runtime, lab.worldId, 'hostile', { uri: `file://${folder}/key` });
    expect(await read()).toBe(SECRET);
    const { version } = await showPolicy(runtime, lab.worldId);
    await setPolicy(runtime, lab.worldId, ['deny *(./key)'], ME, { expected: [version] });
    await expect(read()).rejects.toThrow(/ENOENT|EACCES/);
  });
});

describe.skipIf(sandbox.kind !== 'bubblewrap')('what rules open to an MCP server', () => {
  it('[SAFE5] it can read a folder that a sandbox_folder rule names, as the card says, until the rule is removed', async () => {
    const lib = await freshFolder();
    await writeFile(join(lib, 'data'), 'from the library');
    const rule = `allow sandbox_folder(${lib})`;
    const lab = await openLab({
      policy: ['allow mcp__hostile__*', rule],
      script: ({ messages }) => {
        if (messages.at(-1)?.role !== 'user') return 'done';
        return { calls: [{ name: 'mcp__hostile__look', arguments: { path: join(lib, 'data') } }] };
      },
    });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    await lab.say('look');
    expect(lab.results().at(-1)).toContain('from the library');

    const put = async (rules: string[]): Promise<void> => {
      const { version } = await showPolicy(lab.engine.runtime, lab.worldId);
      await setPolicy(lab.engine.runtime, lab.worldId, rules, ME, { expected: [version], ...MAY_ALL });
    };
    await put([rule]);
    await lab.say('look');
    const [approval] = await lab.pending();
    expect(approval?.sandbox).toEqual({ kind: 'bubblewrap', network: 'none', hosts: [], readable: [lib] });

    await put(['allow mcp__hostile__*']);
    await lab.say('look');
    expect(lab.results().at(-1)).not.toContain('from the library');
  });
});

describe('an MCP server without a sandbox', () => {
  it('[SAFE1.5] needs approval for each call while there is a rule about a path', async () => {
    const lab = await openFiles(['deny *(./secrets/**)'], { sandbox: { kind: 'none', reason: 'left out on purpose' } });
    await lab.say(`read ${lab.folder}/way/key`);
    const [approval] = await lab.pending();
    expect(approval?.options).toEqual(['deny', 'approve_once']);
    expect(JSON.stringify(lab.provider.requests)).not.toContain(SECRET);
  });
});
