import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAgent, createChat, createWorld, publishMessage } from '@countersign/core';
import { defineTool } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { problemSchema } from '@countersign/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { serve, type Serving } from '../serve/serve.js';
import { send } from '../testing/send.js';

const TOKEN = 'a-token-of-this-test-0123456789abcdef';
const lines: { message: string; fields: Record<string, unknown> }[] = [];
let folder = '';
let serving: Serving;
let isStoreGone = false;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  const note = (message: string, fields: Record<string, unknown> = {}): void => void lines.push({ message, fields });
  serving = await serve({
    home: join(folder, 'home'),
    env: { COUNTERSIGN_TOKEN: TOKEN },
    log: { info: note, warn: note, error: note },
    port: 0,
    providers: [
      scripted(({ messages }) => {
        if (messages.at(-1)?.role === 'tool') return 'Done.';
        return { say: 'Both.', calls: [{ name: 'look' }, { name: 'post', arguments: {} }] };
      }),
    ],
    tools: ['look', 'post'].map((name) =>
      defineTool({
        name,
        description: name,
        parameters: z.object({}),
        approval: { required: name === 'post' },
        readOnly: name === 'look',
        execute: async () => 'ok',
      }),
    ),
    sandbox: { kind: 'none', reason: 'no command runs here' },
    ollamaUrl: 'http://127.0.0.1:9',
    version: '0.0.0-test',
  });
});
afterEach(async () => {
  await serving.close().catch((error: unknown) => {
    if (!isStoreGone) throw error;
  });
  rmSync(folder, { recursive: true, force: true });
});

const metrics = async (): Promise<string> =>
  (await send(`${serving.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text;

it('counts turns, tools, models, waiting approvals and open streams, and logs them with their ids', async () => {
  const { runtime } = serving.home.engine;
  const signer = { who: { kind: 'person', id: 'ann', name: 'ann' }, via: 'test' } as const;
  const { id: worldId } = await createWorld(runtime, { name: 'Counted' }, signer);
  await addAgent(runtime, worldId, { name: 'Clerk', provider: 'scripted', model: 'm', tools: ['*'] }, signer);
  const { id: chatId } = await createChat(runtime, worldId);
  const reader = new AbortController();
  await fetch(`${serving.url}/api/worlds/${worldId}/events`, {
    headers: { authorization: `Bearer ${TOKEN}` },
    signal: reader.signal,
  });
  await publishMessage(runtime, { worldId, chatId, content: 'Go', speaker: 'human' });
  // Read-only calls run while the other one waits for approval, so their order varies.
  for (const line of [
    'approvals_waiting 1',
    'tool_seconds_count{tool="look",outcome="succeeded"} 1',
    'model_seconds_count{provider="scripted",outcome="answered"} 1',
    'sse_clients 1',
    'processes_alive 1',
    'turns_queued 0',
    'turns_queued_oldest_seconds 0',
  ])
    await expect.poll(metrics).toContain(`countersign_${line}\n`);
  const text = await metrics();
  reader.abort();
  await expect.poll(metrics).toContain('countersign_sse_clients 0\n');
  expect(text).not.toContain(worldId);
  await expect
    .poll(() => lines)
    .toContainEqual({
      message: 'tool ran',
      fields: expect.objectContaining({
        worldId,
        turnId: expect.stringContaining('turn_') as string,
        invocationId: expect.any(String) as string,
      }) as Record<string, unknown>,
    });
});

it('[STORE7] reports that it is not ready when its store is unavailable, with a message', async () => {
  expect((await send(`${serving.url}/api/health`)).status).toBe(200);
  isStoreGone = true;
  await serving.home.engine.runtime.store.close();
  const answer = async (): Promise<number> => (await send(`${serving.url}/api/health`)).status;
  await expect.poll(answer).toBe(503);
  const { text } = await send(`${serving.url}/api/health`);
  expect(problemSchema.parse(JSON.parse(text)).detail).toBe("The server's database can't be read at the moment.");
});
