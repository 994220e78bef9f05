import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, openTestWorld, tool } from './testing/fixture.js';
import { obedient, propose } from './testing/obedient.js';

afterEach(closeTestWorlds);

describe('steps that share a commit', () => {
  it('[WORLD10] [STORE1] a client that takes the id of a call affects neither other chats nor their turns', async () => {
    const said: unknown[] = [];
    const t = await openTestWorld({
      script: obedient,
      tools: [
        tool('speak', async (_, { invocationId, world }) => {
          await t.chat.send('I was first.', { clientMessageId: invocationId });
          const other = t.other.send('Something else.');
          // Waits until it is decided, but not until it is committed.
          for (let round = 0; round < 200; round += 1) await Promise.resolve();
          said.push(...(await Promise.allSettled([world?.sendMessage({ content: 'Me too.' }), other])));
          return 'spoken';
        }),
      ],
    }).then(async (opened) => ({ ...opened, other: await opened.world.chat() }));
    await propose(t, { name: 'speak' });
    expect(said).toMatchObject([
      { status: 'rejected', reason: { message: 'a client already sent a message with the id of this call' } },
      { status: 'fulfilled' },
    ]);
  });
});
