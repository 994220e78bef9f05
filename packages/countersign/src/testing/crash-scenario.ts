import { appendFileSync } from 'node:fs';
import { defineTool, type GenerateRequest } from '@countersign/core/ports';
import { scripted, type ScriptedReply } from '@countersign/core/testing';
import { z } from 'zod';
import { openWorld } from '../open-world.js';
import type { OpenedWorld } from '../world/world.js';

export interface Scenario {
  /** The store. */
  file: string;
  /** A log of what really happened, written immediately; the store is compared with it. */
  diary: string;
  probe: (moment: string) => void;
}

/**
 * One person, two agents and a turn with three different tools: gated, ungated and idempotent. Every step can be repeated: after a crash, it
 * continues where the record ends.
 */
export async function runScenario({ file, diary, probe }: Scenario): Promise<void> {
  const note = (...words: string[]): void => appendFileSync(diary, `${words.join(' ')}\n`);
  const world = await openWorld(file, {
    name: 'crash',
    synchronous: 'NORMAL',
    providers: [scripted(answer, { title: 'Tidy' })],
    tools: [
      tool('remove', { approval: { required: true } }),
      tool('write', {}),
      // The tool has a fingerprint, so its calls start in a separate step.
      tool('sync', { readOnly: true, idempotent: true, fingerprint: async () => 'the same' }),
    ],
    probe,
  });

  interface Traits {
    readOnly?: boolean;
    idempotent?: boolean;
    approval?: { required: boolean };
    fingerprint?: () => Promise<string>;
  }
  function tool(name: string, traits: Traits) {
    return defineTool({
      name,
      description: `does ${name}`,
      parameters: z.object({ n: z.number() }),
      ...traits,
      execute: (_, { invocationId }) => {
        note('ran', name, invocationId);
        return `${name} done`;
      },
    });
  }

  const known = (await world.agents()).map((agent) => agent.name);
  for (const name of ['Ada', 'Ben'].filter((one) => !known.includes(one))) {
    await world.addAgent({ name, provider: 'scripted', model: name, tools: ['*'] });
  }
  const [first] = await world.chats();
  const chat = await world.chat(first?.id);
  const { messageId } = await chat.send('@Ada tidy up', { clientMessageId: 'm1' });
  note('sent', messageId);
  while ((await chat.settled()) === 'waiting') await approveAll(world, note);
  await world.quiet();
  await world.close();
  note('finished');
}

async function approveAll(world: OpenedWorld, note: (...words: string[]) => void): Promise<void> {
  for (const approval of await world.approvals({ status: 'pending' })) {
    const { kind } = await world.decide(approval, { decision: 'approve', reason: 'go on' });
    note('decided', approval.approvalId, kind);
  }
}

/** A stateless model, so that a second process behaves the same. */
function answer({ model, messages }: GenerateRequest): ScriptedReply {
  if (model === 'Ben') return 'Well done. <world>STOP</world>';
  const told = messages.findLastIndex((message) => message.role === 'user');
  if (messages.slice(told).some((message) => message.role === 'tool')) return '@Ben have a look';
  return {
    say: 'I need three things.',
    calls: ['remove', 'write', 'sync'].map((name, n) => ({ name, arguments: { n } })),
  };
}
