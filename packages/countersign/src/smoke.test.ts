import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, openWorld, scripted, type ToolEvent } from './index.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a world on a file', () => {
  it('[T1] [A3] [A4] asks for a gated call, runs it once approved and goes on', async () => {
    const ran: string[] = [];
    const tool = defineTool({
      name: 'remove',
      description: 'removes a file',
      parameters: z.object({ path: z.string() }),
      approval: { required: true, message: 'Remove {path}' },
      execute: ({ path }) => {
        ran.push(path);
        return `removed ${path}`;
      },
    });
    const world = await openWorld(join(folder, 'harbour.db'), {
      providers: [scripted([{ say: 'I would', calls: [{ name: 'remove', arguments: { path: 'a.tmp' } }] }, 'Done.'])],
      tools: [tool],
    });
    await world.addAgent({ name: 'Mason', provider: 'scripted', model: 'any', tools: ['*'] });
    const events: string[] = [];
    world.on('tool', (event: ToolEvent) => {
      events.push(event.type);
    });
    const chat = await world.chat();
    await chat.send('tidy up');
    expect(await chat.settled()).toBe('waiting');
    expect(ran).toEqual([]);
    const [approval] = await world.approvals();
    expect(approval).toMatchObject({ toolName: 'remove', arguments: { path: 'a.tmp' }, message: 'Remove a.tmp' });
    if (approval === undefined) throw new Error('no approval');
    expect(await world.decide(approval, { decision: 'approve' })).toMatchObject({ kind: 'recorded' });
    expect(await chat.settled()).toBe('idle');
    expect(ran).toEqual(['a.tmp']);
    expect(events).toEqual([
      'TOOL_APPROVAL_REQUESTED',
      'TOOL_APPROVED',
      'TOOL_EXECUTION_STARTED',
      'TOOL_EXECUTION_SUCCEEDED',
    ]);
    expect((await chat.messages()).map((m) => [m.role, m.content])).toMatchInlineSnapshot(`
      [
        [
          "user",
          "tidy up",
        ],
        [
          "assistant",
          "I would",
        ],
        [
          "assistant",
          "",
        ],
        [
          "tool",
          "{"decision":"approve","scope":"once","digest":"79ab3032a70bab64f192008b974a4f9dd77b116c217cb43dc9b1ebf2d3b58af2"}",
        ],
        [
          "tool",
          "{"result":"removed a.tmp"}",
        ],
        [
          "assistant",
          "Done.",
        ],
      ]
    `);
    expect(await world.verifyAudit()).toMatchObject({ ok: true });
    await world.close();
  });
});
