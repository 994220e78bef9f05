import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellCmd } from '@countersign/tools';
import { expect, it, onTestFinished } from 'vitest';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { openHarbourServer } from './harbour-server.js';

const sandbox = await sharedSandbox();
const shell = shellCmd({ sandbox });
const sh = (command: string) => ({ name: 'sh', arguments: { command } });

it.skipIf(sandbox.kind !== 'bubblewrap')(
  '[TERM3.13] approvals batch shows each call and the total, and approves them as one',
  async () => {
    const t = await openHarbourServer({
      tools: [{ ...shell, definition: { ...shell.definition, name: 'sh' } }],
    });
    onTestFinished(() => t.close());
    const folder = await mkdtemp(join(tmpdir(), 'countersign-batch-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await t.client.updateWorld('docks', { workingDirectory: folder });
    const chat = await t.client.createChat('docks');
    await t.client.send('docks', chat.id, {
      content: t.asking(sh('echo one > a; echo x > tmp'), sh('cp a b; rm tmp'), {
        name: 'stamp',
        arguments: { letter: 'x' },
      }),
    });
    const waiting = async () => (await t.client.approvals('docks', { chat: chat.id })).items;
    await expect.poll(async () => (await waiting()).length).toBe(3);
    const ids = (await waiting()).map(({ approvalId }) => approvalId);
    expect(await t.runHere(['approvals', 'batch', ids[0] ?? ''])).toMatchObject({ code: 2 });
    const unsure = await t.runHere(['approvals', 'batch', ...ids]);
    expect([unsure.code, unsure.stdout.match(/what it did after the calls before it/g)?.length]).toEqual([2, 2]);
    expect(unsure.stdout).toContain('Written by one call and gone or unchanged at the end: tmp');
    expect(unsure.stdout).toContain("This call can't be rehearsed.");
    expect(readdirSync(folder)).toEqual([]);
    const approved = await t.runHere(['approvals', 'batch', ...ids, '--yes']);
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('Approved 2 calls as one.') as string });
    await expect.poll(() => readdirSync(folder).toSorted()).toEqual(['a', 'b']);
    await expect.poll(async () => (await waiting()).map(({ toolName }) => toolName)).toEqual(['stamp']);
    await t.client.stop('docks', chat.id);
  },
);
