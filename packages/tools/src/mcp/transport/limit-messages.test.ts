import { createFakeClock } from '@countersign/core/testing';
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { limitMessages } from './limit-messages.js';

it('lets a burst through, then limits the rate, and delivers every answer once', async () => {
  const clock = createFakeClock();
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const heard: string[] = [];
  let dropped = 0;
  const transport = limitMessages(ours, clock, () => {
    dropped += 1;
  });
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => heard.push('method' in message ? message.method : 'answer'),
  });
  await transport.start();
  await theirs.start();
  const notify = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) await theirs.send({ jsonrpc: '2.0', method: 'noise' });
  };
  await notify(2_000);
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'question' });
  for (const id of [1, 1, 2, 'made up']) await theirs.send({ jsonrpc: '2.0', id, result: {} });
  expect(heard.filter((word) => word === 'answer')).toHaveLength(1);
  expect(heard.filter((word) => word === 'noise')).toHaveLength(1_000);
  expect(heard.at(-1)).toBe('answer');
  expect(dropped).toBe(1);
  clock.advance(1_000);
  await notify(500);
  expect(heard.filter((word) => word === 'noise')).toHaveLength(1_100);
});
