import {
  crudEventSchema,
  messageSchema,
  sseEventSchema,
  systemEventSchema,
  toolEventSchema,
  toolOutputEventSchema,
  worldEventSchema,
  type WorldEventName,
} from '@countersign/protocol';
import { afterEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { closeTestWorlds, gated, openTestWorld, tool } from './testing/fixture.js';

afterEach(closeTestWorlds);

const schemas: Record<WorldEventName, z.ZodType> = {
  message: messageSchema,
  sse: sseEventSchema,
  tool: toolEventSchema,
  'tool-output': toolOutputEventSchema,
  system: systemEventSchema,
  world: worldEventSchema,
  crud: crudEventSchema,
};

it('[HTTP13.1] [TURN3] every event matches its schema and has no other field', async () => {
  const loud = tool('loud', (_, { output }) => {
    output('so far');
    return 'seen';
  });
  const t = await openTestWorld({
    script: [{ say: 'three', calls: [{ name: 'loud' }, { name: 'remove' }, { name: 'nosuch' }] }, 'done'],
    model: { title: 'Tidy' },
    tools: [loud, gated('remove', () => 'gone')],
  });
  await t.chat.send('@human hello');
  await t.chat.send('go');
  await t.chat.settled();
  await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope: 'session', pattern: '*', reason: 'fine' });
  await t.chat.settled();
  await t.world.quiet();
  for (const { event, data } of t.events) expect({ event, data: schemas[event].parse(data) }).toEqual({ event, data });
  expect(new Set(t.events.map(({ event }) => event))).toEqual(new Set(Object.keys(schemas)));
});
