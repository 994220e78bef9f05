import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  addAgent,
  createChat,
  createRuntime,
  createWorld,
  listApprovals,
  listMessages,
  decideCall,
  stopChat,
  systemClock,
  type Engine,
} from '@countersign/core';
import { MAY_ALL } from '@countersign/core/testing';
import { openPostgres } from '@countersign/storage';
import { acpAgents } from '@countersign/tools';
import { expect, it, onTestFinished } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { sampled } from '../support/scaled.js';
import { isStatus, nextEvent, say, signer, type Scene } from './engines-fixture.js';

const program = fileURLToPath(new URL('../../packages/countersign/dist/testing/bundle/acp-agent.js', import.meta.url));

async function openAcpEngine(url: string, folder: string, losesHints = false): Promise<Engine> {
  const postgres = await openPostgres(url, { maxConnections: 4 });
  const { shared } = postgres;
  const isLossy = losesHints && shared !== undefined;
  const agents = acpAgents({ clock: systemClock, env: process.env });
  const engine = createRuntime({
    store: isLossy ? { ...postgres, shared: { ...shared, hint: () => undefined } } : postgres,
    clock: systemClock,
    providers: [agents.provider],
    externalTool: (name) => agents.externalTool(name),
    findPlace: () => ({ workingDirectory: folder, home: '/' }),
    onListenerFailure: (error) => {
      throw error;
    },
    onError: () => undefined,
  });
  onTestFinished(() => engine.close());
  await engine.start();
  return engine;
}

/** Two processes on one database, and a call of an ACP agent that waits in the first. The hints of the second may be lost. */
async function prepare({ losesHints = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-acp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = await createMigratedDatabase();
  const [here, there] = await Promise.all([openAcpEngine(url, folder), openAcpEngine(url, folder, losesHints)]);
  const { id: worldId } = await createWorld(here.runtime, { name: 'Harbour' }, signer);
  const acp = { command: [process.execPath, program], program: 'fixture' };
  const coder = { name: 'Coder', provider: 'acp', model: 'fixture', acp };
  await addAgent(here.runtime, worldId, coder, signer, MAY_ALL);
  const { id: chatId } = await createChat(here.runtime, worldId);
  const scene: Scene = { worldId, chatId };
  const waiting = nextEvent(there, worldId, isStatus('waiting'));
  const call = { toolCallId: 'c1', title: 'Run it', kind: 'execute', rawInput: { command: 'rm -rf build' } };
  await say(here, worldId, chatId, JSON.stringify([{ ask: [call] }]));
  await waiting;
  const read = (name: string): string => {
    const file = join(folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  return { there, scene, read };
}

const stops = [
  ['', false],
  [', also if the hint about it is lost', true],
] as const;
it.each(sampled(stops, 1))(
  '[EXT3.6] [STORE4.1] stopping the chat in another process cancels the agent%s',
  async (_, losesHints) => {
    const { there, scene, read } = await prepare({ losesHints });
    await stopChat(there.runtime, scene.worldId, scene.chatId, signer);
    await expect.poll(() => read('answers.log'), { timeout: 20_000 }).toBe('c1 cancelled\n');
    // The agent gets this separately, and not always first.
    await expect.poll(() => read('cancelled.log')).not.toBe('');
    expect(read('ran.log')).toBe('');
  },
);

const approvals = [
  [', also if hints are lost', true],
  ['', false],
] as const;
it.each(sampled(approvals, 1))(
  '[EXT3.7] [STORE4.1] a yes elsewhere runs nothing, ends the request, and tells the agent%s',
  async (_, losesHints) => {
    const { there, scene, read } = await prepare({ losesHints });
    const { worldId, chatId } = scene;
    const [approval] = await listApprovals(there.runtime, worldId, { status: 'pending' });
    const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'approve' } as const;
    const idle = nextEvent(there, worldId, isStatus('idle'));
    await decideCall(there.runtime, worldId, undefined, decision, signer);
    await idle;
    const results = (await listMessages(there.runtime, chatId)).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content).join()).toContain('Nothing ran');
    await expect.poll(() => read('answers.log'), { timeout: 20_000 }).toBe('c1 cancelled\n');
    expect(read('ran.log')).toBe('');
    expect(read('prompts.log').trim().split('\n').at(-1)).toContain('Nothing ran');
  },
);
