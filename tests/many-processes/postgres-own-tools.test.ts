import { listApprovals, listMessages, decideCall } from '@countersign/core';
import { defineTool, type Tool } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { approvalFor, countingTool, openEngine, prepare, signer } from './engines-fixture.js';

/** A program with its own tool, and a server without it, on one database. */
describe('[STORE4.4] a tool that only one process has', () => {
  it('runs there, wherever the call is approved', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const program = await openEngine(url, [countingTool(runs)]);
    const server = await openEngine(url, []);
    const scene = await prepare(program);
    const decision = await approvalFor('letter 1', scene, program, program);
    const decided = await decideCall(server.runtime, scene.worldId, undefined, decision, signer);
    expect(decided).toMatchObject({ kind: 'recorded', state: 'approved' });
    const last = async (): Promise<string> => (await listMessages(server.runtime, scene.chatId)).at(-1)?.content ?? '';
    await expect.poll(last, { timeout: 10_000 }).toBe('Done.');
    expect([...runs.values()]).toEqual([1]);
  });

  it('waits for a process that has it, and each call of a turn runs where its tool is', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const ran: string[] = [];
    const model = scripted(({ messages }) => {
      if (messages.at(-1)?.role === 'tool') return 'Done.';
      const calls = ['ring', 'stamp', 'ring'].map((name, at) => ({ name, arguments: { key: `${name} ${at}` } }));
      return { say: 'Three calls.', calls };
    });
    const ring: Tool = defineTool({
      name: 'ring',
      description: 'Rings a bell.',
      parameters: z.object({ key: z.string() }),
      approval: { required: true },
      execute: ({ key }) => {
        ran.push(key);
        return `rang ${key}`;
      },
    });
    const both = await openEngine(url, [countingTool(runs), ring], model);
    const scene = await prepare(both);
    const first = await approvalFor('all three', scene, both, both);
    await both.close();
    const server = await openEngine(url, [ring], model);
    const pending = await listApprovals(server.runtime, scene.worldId, { status: 'pending' });
    expect(pending.map(({ approvalId }) => approvalId)).toContain(first.tool_call_id);
    for (const { approvalId } of pending) {
      const decision = { tool_call_id: approvalId, decision: 'approve' } as const;
      await decideCall(server.runtime, scene.worldId, undefined, decision, signer);
    }
    await expect.poll(() => ran).toEqual(['ring 0']);
    const said = async (): Promise<string[]> =>
      (await listMessages(server.runtime, scene.chatId)).map(({ content }) => content);
    // No other process is alive, so people learn what the call is waiting for.
    const told: unknown = expect.stringContaining('No running process has the tool "stamp"');
    await expect.poll(said).toContainEqual(told);
    expect(runs.size).toBe(0);
    const program = await openEngine(url, [countingTool(runs)], model);
    await expect.poll(async () => (await said()).at(-1), { timeout: 15_000 }).toBe('Done.');
    expect(ran).toEqual(['ring 0', 'ring 2']);
    expect([...runs]).toEqual([['stamp 1', 1]]);
    await program.close();
  });
});
