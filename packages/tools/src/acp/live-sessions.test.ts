import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GenerateRequest } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { expect, it } from 'vitest';
import { liveSessions } from './live-sessions.js';

const program = fileURLToPath(new URL('../../../countersign/dist/testing/bundle/acp-agent.js', import.meta.url));

it('[EXT3.8] a program that no turn wants anymore makes room for another one, and one that a turn starts does not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-acp-'));
  const sessions = liveSessions({ clock: createFakeClock(), place: {}, onEnd: () => undefined, maxSessions: 1 });
  const acp = { command: [process.execPath, program], program: 'fixture' };
  const find = (key: string, signal: AbortSignal) => {
    const place = { worldId: 'w', chatId: key, agentId: 'a', turnId: key, workingDirectory: folder, acp };
    const request: GenerateRequest = {
      purpose: 'answer',
      model: 'fixture',
      messages: [],
      tools: [],
      stream: false,
      onChunk: () => undefined,
      signal,
    };
    return sessions.find(key, { ...place, isCurrent: async () => true }, request);
  };
  try {
    const turn = new AbortController();
    const first = await find('c1', turn.signal);
    await expect(find('c2', turn.signal)).rejects.toThrow('1 ACP agents are already working');
    turn.abort();
    const second = await find('c2', new AbortController().signal);
    expect([first.isAlive(), second.isAlive()]).toEqual([false, true]);
  } finally {
    await sessions.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
