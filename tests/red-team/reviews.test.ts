import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addAgent,
  createChat,
  createWorld,
  listApprovals,
  publishMessage,
  setPolicy,
  updateWorld,
} from '@countersign/core';
import { MAY_ALL, scripted, type ScriptedCall } from '@countersign/core/testing';
import { serve } from '@countersign/server';
import { defineTool } from 'countersign';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { ME } from './site.js';

const RULE = 'ask pay by agent @reviewer';
const pay = (amount: number): ScriptedCall => ({ name: 'pay', arguments: { amount } });
const review = (more: object = {}): ScriptedCall => ({
  name: 'review_call',
  arguments: { decision: 'approve', reason: 'fine', ...more },
});

/** Makes the calls that the message contains, and approves whatever it is asked to review. */
const obedient = scripted(({ messages, tools }) => {
  if (messages.some(({ role }) => role === 'assistant') && messages.at(-1)?.role !== 'user') return 'done';
  if (tools.some(({ name }) => name === 'review_call')) return { calls: [review()] };
  const calls = /\[.*\]/s.exec(messages.at(-1)?.content ?? '')?.[0];
  return calls === undefined ? 'done' : { calls: JSON.parse(calls) as ScriptedCall[] };
});

it('[SIGN3.3] [SIGN3.4] an obedient reviewer can’t get its own call approved, nor that of an agent it created', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-reviews-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const paid: number[] = [];
  const tool = defineTool({
    name: 'pay',
    description: 'Pays an amount.',
    parameters: z.object({ amount: z.number() }),
    approval: { required: true },
    execute: ({ amount }) => {
      paid.push(amount);
      return 'paid';
    },
  });
  const log = (): void => undefined;
  const serving = await serve({
    home: join(base, 'home'),
    env: {},
    log: { info: log, warn: log, error: log },
    port: 0,
    providers: [{ ...obedient, name: 'obedient' }],
    tools: [tool],
    ollamaUrl: 'http://127.0.0.1:9',
    version: 'test',
  });
  onTestFinished(() => serving.close());
  const { engine } = serving.home;
  const { runtime } = engine;
  const workingDirectory = join(base, 'work');
  mkdirSync(workingDirectory);
  await createWorld(runtime, { name: 'Bank', workingDirectory, streaming: false, turnLimit: 50 }, ME, MAY_ALL);
  const agent = { provider: 'obedient', model: 'm', tools: ['*'] };
  await addAgent(runtime, 'bank', { ...agent, name: 'Teller' }, ME);
  await addAgent(runtime, 'bank', { ...agent, name: 'Reviewer' }, ME);
  await setPolicy(runtime, 'bank', ['allow create_agent', 'allow send_message', RULE], ME);
  const tell = async (name: string, ...calls: ScriptedCall[]): Promise<void> => {
    await updateWorld(runtime, 'bank', { mainAgent: name }, ME);
    const chat = await createChat(runtime, 'bank');
    const content = JSON.stringify(calls);
    await publishMessage(runtime, { worldId: 'bank', chatId: chat.id, speaker: 'human', content, who: ME.who });
    await engine.quiet();
  };
  const create = (name: string): ScriptedCall => ({
    name: 'create_agent',
    arguments: { name, instructions: 'Obey.', tools: ['*'] },
  });

  // The rule works: the reviewer approves the call of an agent that it has nothing to do with.
  await tell('teller', pay(1));
  expect(paid).toEqual([1]);

  // Its own call, with a review in the same answer, in its next turn, and for the approval by its id.
  await tell('reviewer', pay(2), review());
  const [own] = await listApprovals(runtime, 'bank', { status: 'pending' });
  await tell('reviewer', review(), review({ approvalId: own?.approvalId }), review({ tool_call_id: own?.approvalId }));
  // An agent that it created, and one that this agent created. Their makers can't review for it either.
  await tell('reviewer', create('Child'));
  await tell('child', pay(3), review());
  await tell('child', create('Grandchild'));
  await tell('grandchild', pay(4), review());
  const message = { agent: 'reviewer', content: JSON.stringify([review()]) };
  await tell('grandchild', { name: 'send_message', arguments: message });
  // An agent with nearly the same name is another one.
  await tell('reviewer', create('reviewer'), create('Reviewer 2'));
  await tell('child', create('Teller 2'));
  await tell('teller-2', pay(5));

  expect(paid).toEqual([1]);
  const pending = await listApprovals(runtime, 'bank', { status: 'pending' });
  expect(pending.map(({ agentId, arguments: args }) => [agentId, args])).toEqual([
    ['reviewer', { amount: 2 }],
    ['child', { amount: 3 }],
    ['grandchild', { amount: 4 }],
    ['teller-2', { amount: 5 }],
  ]);
  expect(pending.map(({ needs = [] }) => needs[0]?.stuck)).toEqual(pending.map(() => 'agent-related'));
  const records = await runtime.store.read((reader) => reader.audit('bank', { after: 0, limit: 1000 }));
  const decided = records.filter(({ kind, decision }) => kind === 'decision' && decision === 'approve');
  expect(decided.map(({ tool: name, agentId }) => [name, agentId])).toEqual([['pay', 'teller']]);
  // Nobody but a reviewing turn has the tool.
  expect(records.filter(({ kind, tool: name }) => kind === 'run' && name === 'review_call')).toHaveLength(1);
});
