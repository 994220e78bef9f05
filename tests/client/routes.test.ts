import { createClient, get, openChat, rowAt, turnOf, type Client } from '@countersign/client';
import { scripted } from '@countersign/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openHarbour, type Harbour } from './fixture.js';

let harbour: Harbour | undefined;
afterEach(async () => {
  await harbour?.close();
  harbour = undefined;
});

async function open(): Promise<{ client: Client; harbour: Harbour; world: string }> {
  harbour = await openHarbour(
    scripted(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'gone' : { calls: [{ name: 'remove', arguments: { what: 'crate' } }] },
    ),
  );
  const { client } = harbour;
  const { id: world } = await client.createWorld({ name: 'Harbour', description: 'boats' });
  await client.createAgent(world, { name: 'Ada', provider: 'scripted', model: 'm', tools: ['*'] });
  return { client, harbour, world };
}

const status = (wanted: number): { kind: string; status: number } => ({ kind: 'problem', status: wanted });

describe('the typed client, route by route', () => {
  it('[WHO1] [HTTP2] health needs no credential, everything else does; a ticket works once', async () => {
    const { client, harbour: at } = await open();
    const stranger = createClient({ url: client.url });
    expect(await stranger.health()).toMatchObject({ status: 'ok' });
    await expect(stranger.worlds()).rejects.toMatchObject(status(401));
    const ticket = at.newTicket();
    const { session } = await stranger.openSession(ticket);
    expect(session).not.toBe('');
    await expect(stranger.openSession(ticket)).rejects.toMatchObject(status(401));
    const { open: link } = await client.startLink();
    expect((await stranger.openSession(link.split('#ticket=')[1] ?? '')).session).not.toBe('');
    await expect(stranger.startLink()).rejects.toMatchObject(status(401));
    const [built, ...others] = (await client.providers()).items;
    expect([built, others]).toMatchObject([{ source: 'built-in', available: true }, []]);
  });

  it('[HTTP4] [HTTP4.2] providers are added, changed, tested and removed', async () => {
    const { client } = await open();
    const added = await client.addProvider({ kind: 'vllm', name: 'GPU box', baseUrl: 'http://127.0.0.1:9' });
    expect(added).toMatchObject({ id: 'gpu-box', baseUrl: 'http://127.0.0.1:9/v1', hasKey: false });
    expect(await client.updateProvider('gpu-box', { name: 'Big box' })).toMatchObject({
      id: 'gpu-box',
      name: 'Big box',
    });
    expect(await client.testProvider('gpu-box')).toMatchObject({ ok: false, code: 'wrong-address' });
    expect(await client.providerModels('gpu-box')).toMatchObject({ items: [], problem: { code: 'wrong-address' } });
    await client.removeProvider('gpu-box', { force: true });
    await expect(client.removeProvider('gpu-box')).rejects.toMatchObject(status(404));
  });

  it('[HTTP2] [HTTP15] worlds and agents are created, changed with an ETag, copied and deleted', async () => {
    const { client, world } = await open();
    const { value, etag } = await client.world(world);
    expect(value).toMatchObject({ id: world, name: 'Harbour', mode: 'ask' });
    expect(await client.updateWorld(world, { turnLimit: 7 }, { ifMatch: etag ?? '' })).toMatchObject({ turnLimit: 7 });
    await expect(client.updateWorld(world, { turnLimit: 8 }, { ifMatch: etag ?? '' })).rejects.toMatchObject(
      status(412),
    );
    const ada = await client.agent(world, 'ada');
    expect(await client.updateAgent(world, 'ada', { model: 'n' }, { ifMatch: ada.etag ?? '' })).toMatchObject({
      model: 'n',
    });
    expect((await client.agents(world)).items.map(({ name }) => name)).toEqual(['Ada']);
    const file = await client.exportWorld(world);
    await expect(client.importWorld(file)).resolves.toMatchObject({
      turnLimit: 7,
      notes: expect.any(Array) as unknown,
    });
    expect((await client.worlds()).items).toHaveLength(2);
    await client.deleteAgent(world, 'ada');
    await client.deleteWorld(world);
    await expect(client.world(world)).rejects.toMatchObject(status(404));
  });

  it('[CALL17.3] an agent and a world with a name that was reserved later keep working; nobody else gets the name', async () => {
    const { client, harbour: at, world } = await open();
    await at.engine.runtime.store.transact(world, async (tx) => {
      const { definition } = (await tx.agents(world))[0] ?? { definition: undefined };
      if (definition === undefined) throw new Error('there is no agent');
      await tx.insertAgent(world, 'you', { ...definition, name: 'You' });
      const shown = await tx.world(world);
      if (shown !== undefined) await tx.updateWorld(world, { name: 'Notice', settings: shown.settings });
    });
    expect((await client.agents(world)).items.map(({ name }) => name)).toEqual(['Ada', 'You']);
    expect(await client.updateAgent(world, 'you', { temperature: 1 })).toMatchObject({ name: 'You', temperature: 1 });
    expect(await client.updateWorld(world, { turnLimit: 3 })).toMatchObject({ name: 'Notice', turnLimit: 3 });
    await expect(client.updateAgent(world, 'ada', { name: 'you' })).rejects.toMatchObject({
      ...status(422),
      field: 'name',
    });
    await expect(client.createAgent(world, { name: 'notice', provider: 'scripted', model: 'm' })).rejects.toMatchObject(
      { ...status(422), field: 'name' },
    );
  });

  it('[HTTP2] [HTTP15] rules are read, tested and saved only over the version that was read; tools are listed', async () => {
    const { client, world } = await open();
    const { value, etag } = await client.policy(world);
    expect(value).toEqual({ rules: [], proposed: [] });
    const call = { agentId: 'ada', tool: 'remove', arguments: { what: 'crate' } };
    expect(await client.checkPolicy(world, call)).toMatchObject({ outcome: 'ask' });
    const written = await client.setPolicy(world, { rules: ['deny remove'] }, { ifMatch: etag ?? '' });
    expect(written.value.rules).toEqual(['deny remove']);
    await expect(client.setPolicy(world, { rules: [] }, { ifMatch: etag ?? '' })).rejects.toMatchObject(status(412));
    expect(await client.checkPolicy(world, call)).toMatchObject({ outcome: 'refuse', rule: 'deny remove' });
    expect((await client.tools(world)).items.map(({ name }) => name)).toContain('remove');
    expect(await client.mcpServers(world)).toEqual({ items: [] });
    await expect(client.mcpServer(world, 'none')).rejects.toMatchObject(status(404));
  });

  it('[HTTP2] [CALL14] messages, approvals, search, statistics and timelines of a chat work', async () => {
    const { client, world } = await open();
    const { id: chat } = await client.createChat(world, { title: 'Boats' });
    const view = openChat(client, world, chat);
    await client.send(world, chat, { content: 'Ada, the red crate please' });
    await vi.waitFor(() => expect(view.getState().queue).toHaveLength(1), { timeout: 30_000 });
    const [approval] = (await client.approvals(world, { chat })).items;
    if (approval === undefined) throw new Error('one should wait');
    expect(approval).toMatchObject({ position: 1, total: 1 });
    expect((await client.approval(world, approval.approvalId)).context.length).toBeGreaterThan(0);
    expect(await client.decide(world, approval, { decision: 'approve', scope: 'session' })).toMatchObject({
      kind: 'recorded',
    });
    expect(await client.decide(world, approval, { decision: 'approve', scope: 'session' })).toMatchObject({
      kind: 'repeated',
    });
    await vi.waitFor(() => expect(view.getState().status).toBe('idle'), { timeout: 30_000 });

    expect((await client.search(world, 'red crate')).items).toMatchObject([{ chatId: chat, chatTitle: 'Boats' }]);
    expect(await client.stats(world)).toMatchObject({ chats: 1, pendingApprovals: 0 });
    expect((await client.memory(world, 'ada', chat)).items.length).toBeGreaterThan(3);
    const first = await client.messages(world, chat, { limit: 2 });
    const second = await client.messages(world, chat, { limit: 2, after: first.next ?? '' });
    expect(second.items[0]?.messageId).not.toBe(first.items[0]?.messageId);
    const { transcript, messages } = view.getState();
    const answer = get(messages, rowAt(transcript, transcript.length - 1) ?? '');
    const turn = await client.timeline(world, chat, (answer && turnOf(answer)) ?? '');
    expect(turn).toMatchObject({ agentId: 'ada' });
    expect(turn.spans.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['model', 'waiting', 'tool']));

    const [grant] = (await client.grants(world)).items;
    await client.revoke(world, grant?.grantId ?? '');
    await expect(client.revoke(world, grant?.grantId ?? '')).rejects.toMatchObject(status(404));
    expect((await client.audit(world)).items.map(({ kind }) => kind)).toContain('decision');
    expect((await client.exportAudit(world, 'jsonl')).trim().split('\n').length).toBeGreaterThan(3);
    expect(await client.exportAudit(world, 'csv')).toContain('decision');
    expect(await client.changeChat(world, chat, { title: 'Crates' })).toMatchObject({ title: 'Crates' });
    expect((await client.chats(world, { newest: true })).items).toMatchObject([{ id: chat, title: 'Crates' }]);
    await client.stop(world, chat);
    view.close();
    await client.deleteChat(world, chat);
    await expect(client.chat(world, chat)).rejects.toMatchObject(status(404));
  });

  it('[CALL16] a client’s tool is forwarded to it, and only it can answer', async () => {
    harbour = await openHarbour(
      scripted(({ messages, tools }) =>
        messages.at(-1)?.role === 'tool'
          ? 'tapped'
          : { calls: [{ name: tools.find(({ name }) => name.startsWith('app__'))?.name ?? '', arguments: {} }] },
      ),
    );
    const { client } = harbour;
    const { id: world } = await client.createWorld({ name: 'Harbour', policy: ['allow app__*'] });
    await client.createAgent(world, { name: 'Ada', provider: 'scripted', model: 'm', tools: ['*'] });
    const { id: chat } = await client.createChat(world);
    await client.registerClient(world, {
      label: 'pad',
      approvals: true,
      tools: [{ name: 'tap', description: 'taps', parameters: { type: 'object' } }],
    });
    const view = openChat(client, world, chat);
    await vi.waitFor(() => expect(view.getState().connection.kind).toBe('open'), { timeout: 30_000 });
    await client.send(world, chat, { content: 'go' });
    await vi.waitFor(
      () =>
        expect(view.getState().openInvocations.map((id) => get(view.getState().invocations, id)?.status.kind)).toEqual([
          'running',
        ]),
      { timeout: 30_000 },
    );
    const [call] = view.getState().openInvocations;
    const stranger = harbour.newClient();
    await expect(stranger.answer(world, { toolCallId: call ?? '', content: 'x' })).rejects.toMatchObject(status(403));
    await client.answer(world, { toolCallId: call ?? '', content: 'ouch' });
    await vi.waitFor(() => expect(view.getState().status).toBe('idle'), { timeout: 30_000 });
    expect(get(view.getState().invocations, call ?? '')?.status).toEqual({ kind: 'succeeded', result: 'ouch' });
    view.close();
  });
});
