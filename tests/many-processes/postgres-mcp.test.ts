import { expect, it } from 'vitest';
import { stdio } from '../mcp/support/servers.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { createFarm, type RunningServer } from './servers-fixture.js';

it('[STORE4.1] a tool of an MCP server runs in the process of its turn: the one that added the server, another, or after the first is gone', async () => {
  const farm = createFarm(await createMigratedDatabase(), 2);
  try {
    const [first, second] = await Promise.all([farm.start(0), farm.start(1)]);
    const { id: world } = await first.client.createWorld({ name: 'Harbour' });
    await first.client.createAgent(world, { name: 'Ann', provider: 'stamping', model: 'm', tools: ['*'] });
    await first.client.addMcpServer(world, stdio('hostile'));
    const state = async (): Promise<string> => (await first.client.mcpServer(world, 'hostile')).value.status;
    await expect.poll(state).toBe('running');

    /** Sends a message to one server, waits for its approval at another, and returns it undecided. */
    const ask = async (to: RunningServer, at: RunningServer, word: string) => {
      const { id: chat } = await to.client.createChat(world);
      const content = `Please call mcp__hostile__quiet with {"message":"${word}"}`;
      await to.client.send(world, chat, { content });
      const pending = async () => (await at.client.approvals(world, { chat })).items[0];
      // If no approval arrives, the messages say why.
      const seen = async (): Promise<string> =>
        (await pending()) === undefined ? JSON.stringify((await at.client.messages(world, chat)).items) : 'asked';
      await expect.poll(seen).toBe('asked');
      const approval = await pending();
      if (approval === undefined) throw new Error(`no approval for ${word}`);
      return { chat, word, approval };
    };
    type Asked = Awaited<ReturnType<typeof ask>>;
    const approve = async (at: RunningServer, { approval }: Asked): Promise<void> => {
      await at.client.decide(world, approval, { decision: 'approve' });
    };
    const words = async (at: RunningServer, { chat }: Asked): Promise<string | undefined> =>
      (await at.client.messages(world, chat)).items.at(-1)?.content;
    const expectEcho = async (at: RunningServer, asked: Asked): Promise<void> => {
      await expect
        .poll(() => words(at, asked))
        .toBe(`It said: ${JSON.stringify({ result: `quiet ran with {"message":"${asked.word}"}` })}`);
    };

    const both = await Promise.all([ask(first, second, 'a'), ask(second, first, 'b')]);
    await Promise.all(both.map((asked) => approve(second, asked)));
    for (const asked of both) await expectEcho(first, asked);

    const left = await ask(first, first, 'left behind');
    first.signal('SIGKILL');
    await first.gone;
    await approve(second, left);
    await expectEcho(second, left);

    // A server that starts later also sees it, and changes made elsewhere.
    const third = await farm.start(0);
    await second.client.updateMcpServer(world, 'hostile', { enabled: false });
    const tools = async (): Promise<string[]> =>
      (await third.client.tools(world)).items.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
    await expect.poll(tools).toEqual([]);
  } catch (error) {
    throw new Error(`${String(error)}\nThe servers said: ${farm.errors()}`, { cause: error });
  } finally {
    await farm.close();
  }
});
