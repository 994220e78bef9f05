import { expect, it } from 'vitest';
import type { CallKeys, McpToolRecord, PersonRecord } from '../../ports/index.js';
import {
  A,
  addChats,
  approval,
  B,
  C,
  chat,
  client,
  grant,
  invocation,
  message,
  turn,
  W,
  write,
} from '../store-contract/samples.js';
import { freshStore, type OpenStore } from '../store-contract/under-test.js';
import { callKeys, stateOf, step } from './support.js';

/** Everything a step reads besides the state of its chats, including after changes by other steps and transactions. */
export function describeReads(open: OpenStore): void {
  const { store } = freshStore(open);
  const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id);

  it('[STORE1] reports a missing chat, world or message', async () => {
    expect(await stateOf(store(), 'nothing')).toBeUndefined();
    const rev = (worldId: string) =>
      store().step(worldId, { chats: [] }, (reads) => ({ value: reads.worldRev, writes: nothing }));
    expect((await rev('elsewhere')).value).toBeUndefined();
    expect((await rev(W)).value).toBe(await store().read((r) => r.worldRev(W)));
    const sent = { chatId: C, clientMessageId: 'client_1' };
    expect(await step(store(), (tx) => tx.sent(C, 'client_1'), { sent })).toBeUndefined();
    const lost = step(store(), (tx) => tx.appendMessage(message('msg_1', { chatId: 'nothing' })), {
      chats: ['nothing'],
    });
    await expect(lost).rejects.toMatchObject({ code: 'not-found' });
  });

  it('returns the rev of the world after every kind of change', async () => {
    const rev = async () =>
      (await store().step(W, { chats: [C] }, (reads) => ({ value: reads.worldRev, writes: nothing }))).value;
    const revs = [await rev()];
    await write(store(), (tx) => tx.updateWorld(W, { name: 'Desert' }));
    revs.push(await rev());
    await step(store(), (tx) => tx.setPolicy(['deny *']));
    revs.push(await rev());
    await step(store(), (tx) => tx.removeAgent(B));
    revs.push(await rev());
    await step(store(), (tx) => tx.appendMessage(message('msg_1')));
    expect(await rev()).toBe(revs.at(-1));
    const [first = 0] = revs;
    expect(revs).toEqual([first, first + 1, first + 2, first + 3]);
    expect(await store().read((r) => r.worldRev(W))).toBe(first + 3);
  });

  it('[WORLD10] returns a message that a client has sent', async () => {
    const sent = { chatId: C, clientMessageId: 'client_1' };
    const said = await step(store(), (tx) => tx.appendMessage(message('msg_1', { clientMessageId: 'client_1' })));
    expect(await step(store(), (tx) => tx.sent(C, 'client_1'), { sent })).toStrictEqual(said);
  });

  it('counts the working turns of the world, after steps and transactions', async () => {
    const working = () => step(store(), (tx) => tx.countWorking(), { chats: [C, 'chat_2'] });
    expect(await working()).toBe(0);
    await step(store(), (tx) => {
      tx.insertTurn(turn('turn_1'));
      expect(tx.countWorking()).toBe(1);
      tx.insertTurn(turn('turn_2', { state: 'queued', triggerSeq: 2 }));
      tx.insertTurn(turn('turn_3', { state: 'waiting', agentId: B }));
      expect(tx.countWorking()).toBe(2);
    });
    expect(await working()).toBe(2);
    await step(store(), (tx) => {
      tx.createChat(chat('chat_2'));
      tx.insertTurn(turn('turn_4', { chatId: 'chat_2' }));
    });
    expect(await working()).toBe(3);
    await step(store(), (tx) => tx.fenceTurn('turn_4', { state: 'waiting' }), { chats: ['chat_2'] });
    expect(await working()).toBe(2);
    await step(store(), (tx) => tx.fenceTurn('turn_1', { state: 'ended' }));
    await write(store(), (tx) => tx.updateWorld(W, { name: 'Desert' }));
    expect(await working()).toBe(1);
  });

  it('[WORLD6] counts the turns of each agent that started since a person’s last message', async () => {
    const started = async () => Object.fromEntries((await stateOf(store()))?.startedTurns ?? []);
    const run = (id: string, triggerSeq: number, change: Parameters<typeof turn>[1] = {}) =>
      step(store(), (tx) => {
        tx.insertTurn(turn(id, { triggerSeq, begunSeq: triggerSeq, state: 'ended', ...change }));
      });
    await step(store(), (tx) => {
      tx.appendMessage(message('msg_0'));
      tx.appendMessage(message('msg_1'));
      for (const id of ['msg_3', 'msg_4', 'msg_5']) tx.appendMessage(message(id, { speaker: 'agent' }));
    });
    await run('turn_1', 2);
    await run('turn_2', 2, { agentId: B });
    await run('turn_3', 3);
    await run('turn_4', 3, { outcome: 'silent' });
    await run('turn_5', 1);
    await run('turn_6', 4, { begunSeq: null, state: 'queued' });
    expect(await started()).toEqual({ [A]: 2, [B]: 1 });
    await step(store(), (tx) => tx.fenceTurn('turn_6', { state: 'open', begunSeq: 5 }));
    expect(await started()).toEqual({ [A]: 3, [B]: 1 });
    await run('turn_7', 2);
    expect(await started()).toEqual({ [A]: 4, [B]: 1 });
    await step(store(), (tx) => tx.appendMessage(message('msg_6', { speaker: 'world' })));
    expect(await started()).toEqual({});
    await write(store(), (tx) => tx.updateWorld(W, { name: 'Desert' }));
    expect(await started()).toEqual({});
  });

  it('[CALL5.2] returns the grants that may cover a call, oldest first', async () => {
    const call = callKeys('{}', ['^ls', '=ls']);
    const found = async (usedAfter = 0) =>
      ids(await step(store(), (tx) => tx.grants(call, usedAfter), { calls: [call] }));
    expect(await found()).toEqual([]);
    await step(store(), (tx) => {
      tx.giveGrant(grant('grant_2'), '');
      tx.giveGrant(grant('grant_1'), '^ls');
      tx.giveGrant(grant('grant_3'), '^cat');
      tx.giveGrant(grant('grant_4', { agentId: B }), '');
      tx.giveGrant(grant('grant_6', { toolName: 'fetch' }), '');
    });
    expect(await found()).toEqual(['grant_2', 'grant_1']);
    await write(store(), (tx) => tx.revokeGrant(W, 'grant_2'));
    expect(await found()).toEqual(['grant_1']);
    await step(store(), (tx) => tx.giveGrant(grant('grant_5', { lastUsedAt: 5_000 }), '=ls'));
    expect(await found()).toEqual(['grant_1', 'grant_5']);
    expect(await found(1_000)).toEqual(['grant_5']);
    await step(store(), (tx) => tx.giveGrant(grant('grant_7', { folder: '/srv/b' }), ''));
    const [given] = await step(store(), (tx) => tx.grants(call, 0).slice(-1), { calls: [call] });
    expect(given).toStrictEqual(grant('grant_7', { folder: '/srv/b' }));
    await write(store(), (tx) => tx.revokeGrant(W, 'grant_7'));
    await step(store(), (tx) => tx.useGrant(C, 'grant_1'));
    expect(await found(1_000)).toEqual(['grant_1', 'grant_5']);
  });

  it('[STORE3] tells whether the outcome of a call is unknown', async () => {
    const call = callKeys();
    const unknown = (of: CallKeys = call) => step(store(), (tx) => tx.outcomeUnknown(of), { calls: [of] });
    expect(await unknown()).toBe(false);
    await step(store(), (tx) => {
      tx.insertTurn(turn('turn_1', { iteration: 1 }));
      tx.insertInvocation(invocation('call_1', { status: 'started' }));
    });
    expect(await unknown()).toBe(false);
    await step(store(), (tx) =>
      tx.changeInvocation('call_1', 'started', { status: 'failed', settledAt: 1, outcomeUnknown: true }),
    );
    expect(await unknown()).toBe(true);
    expect(await unknown({ ...call, argumentsText: `${call.argumentsText} ` })).toBe(false);
    expect(await unknown({ ...call, toolName: 'other' })).toBe(false);
    expect(await unknown({ ...call, chatId: 'chat_2' })).toBe(false);
    await step(store(), (tx) => tx.acceptOutcome({ ...call, arguments: call.argumentsText }));
    expect(await unknown()).toBe(false);
    await step(store(), (tx) => tx.insertInvocation(invocation('call_2', { outcomeUnknown: true, position: 1 })));
    expect(await unknown()).toBe(true);
  });

  it('[CALL19] counts an agent’s pending approvals per chat, largest first, and enforces the limit', async () => {
    await addChats(store(), 'chat_2');
    const chats = [C, 'chat_2'];
    const pending = () => step(store(), (tx) => tx.pendingOf(A), { chats, pendingOf: A });
    expect(await pending()).toEqual([]);
    const ask = (id: string, chatId: string, mostPending: number) =>
      step(
        store(),
        (tx) => {
          tx.insertApproval(approval(id, { chatId }));
          tx.insertApproval(approval(`${id}b`, { agentId: B }));
          tx.limitPending(A, mostPending);
        },
        { chats },
      );
    await ask('approval_1', C, 1);
    await ask('approval_2', 'chat_2', 2);
    await ask('approval_3', 'chat_2', 3);
    await expect(ask('approval_4', C, 3)).rejects.toMatchObject({ code: 'conflict' });
    expect(await pending()).toEqual([
      { chatId: 'chat_2', waiting: 2 },
      { chatId: C, waiting: 1 },
    ]);
    expect(await store().read((r) => r.approval('approval_4b'))).toBeUndefined();
    const left = (await stateOf(store()))?.approvals.keys() ?? [];
    expect([...left]).toEqual(['approval_1', 'approval_1b', 'approval_2b', 'approval_3b']);
  });

  it('[CALL13] [CALL16] returns clients, and whether one with approvals is connected', async () => {
    const needs = { clients: ['client_1'], asker: true };
    const look = () => step(store(), (tx) => ({ one: tx.client('client_1')?.id, asks: tx.hasAsker() }), needs);
    expect(await look()).toEqual({ one: undefined, asks: false });
    await write(store(), (tx) => tx.insertClient(client('client_mute', { approvals: false })));
    expect(await look()).toEqual({ one: undefined, asks: false });
    await write(store(), (tx) => tx.insertClient(client('client_1')));
    expect(await look()).toEqual({ one: 'client_1', asks: true });
    await write(store(), (tx) => tx.setClientConnected('client_1', 'here'));
    await write(store(), (tx) => tx.setClientCut('client_1', 'here'));
    expect(await look()).toEqual({ one: 'client_1', asks: false });
    await write(store(), (tx) => tx.deleteClient('client_1'));
    expect(await look()).toEqual({ one: undefined, asks: false });
  });

  it('[SIGN1] returns the people who may sign calls in its world and the groups, as they are now', async () => {
    const add = (id: string, change: Partial<PersonRecord>) =>
      write(store(), async (tx) => {
        await tx.lockServerLog();
        const rights = { role: null, worldRoles: {}, status: 'active' } as const;
        await tx.insertPerson({ id, name: id, email: null, ...rights, rev: 1, createdAt: 0, ...change });
      });
    const look = () => step(store(), (tx) => tx.signers(), { people: true });
    const ids = async () => (await look())?.people.map(({ id }) => id);
    expect(await look()).toEqual({ people: [], groups: [], passkeys: [], delegations: [] });
    expect(await step(store(), (tx) => tx.signers())).toBeUndefined();
    await add('ada', { role: 'owner' });
    await add('bob', { worldRoles: { [W]: 'approver' } });
    await add('carol', { worldRoles: { other: 'admin' } });
    await add('dan', { role: 'member' });
    await add('eve', { role: 'admin', status: 'disabled' });
    expect(await ids()).toEqual(['ada', 'bob']);
    const group = { name: 'finance', people: ['ada', 'eve'], oidcGroup: null };
    await write(store(), (tx) => tx.putGroup(group));
    expect((await look())?.groups).toEqual([{ name: 'finance', people: ['ada', 'eve'] }]);
    const oidc = { issuer: 'https://id.example', subject: 'frank', groups: ['staff'], checkedAt: 7 };
    await add('frank', { role: 'approver', oidc });
    await write(store(), (tx) => tx.putGroup({ ...group, oidcGroup: 'staff' }));
    expect((await look())?.groups).toEqual([{ name: 'finance', people: ['ada', 'eve', 'frank'] }]);
    const passkey = { credentialId: 'x', rpId: 'localhost', origin: 'http://localhost', counter: 0 };
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'x' } as const;
    const times = { createdAt: 0, usedAt: null, expiresAt: null, endedAt: null };
    for (const [id, trusted] of [
      ['trusted', true],
      ['removed', true],
      ['untrusted', false],
    ] as const)
      await write(store(), (tx) =>
        tx.insertCredential({
          ...{ id, personId: 'ada', kind: 'passkey', name: id, hash: '', parentId: null, ...times },
          data: { passkey: { ...passkey, publicKey: key, trusted } },
        }),
      );
    await write(store(), (tx) => tx.endCredential('removed'));
    expect((await look())?.passkeys).toEqual([{ id: 'trusted', personId: 'ada' }]);
  });

  it('[SIGN4] returns the delegations that apply in its world now', async () => {
    const hour = 3_600_000;
    const add = (id: string, from: number, until: number, more: object = {}) =>
      write(store(), async (tx) => {
        await tx.lockServerLog();
        const times = { createdAt: 0, usedAt: null, expiresAt: tx.now() + until, endedAt: null };
        const data = { delegation: { to: 'bob', from: tx.now() + from, ...more } };
        const common = { personId: 'ada', kind: 'delegation', name: id, hash: '', parentId: null } as const;
        await tx.insertCredential({ id, ...common, ...times, data });
      });
    await write(store(), async (tx) => {
      await tx.lockServerLog();
      const rights = { role: 'owner', worldRoles: {}, status: 'active' } as const;
      await tx.insertPerson({ id: 'ada', name: 'Ada', email: null, ...rights, rev: 1, createdAt: 0 });
    });
    await add('applies', -hour, hour, { tools: ['pay*'], worlds: ['other', W] });
    await add('over', -2 * hour, -hour);
    await add('later', hour, 2 * hour);
    await add('elsewhere', -hour, hour, { worlds: ['other'] });
    await add('ended', -hour, hour);
    await write(store(), (tx) => tx.endCredential('ended'));
    const look = async () => (await step(store(), (tx) => tx.signers(), { people: true }))?.delegations;
    expect(await look()).toEqual([{ from: 'ada', to: 'bob', tools: ['pay*'] }]);
    const listed = await store().read((reader) => reader.delegations());
    expect(listed.map(({ id }) => id)).toEqual(['applies', 'over', 'later', 'elsewhere']);
    // Disabling a person ends their delegations.
    await write(store(), (tx) => tx.endCredentials('ada'));
    expect(await look()).toEqual([]);
  });

  it('[CALL1.6] returns the record of an MCP tool', async () => {
    const tool: McpToolRecord = {
      ...{ worldId: W, server: 'files', name: 'mcp__files__read', reviewed: true },
      ...{ accepted: { name: 'read', inputSchema: {} }, acceptedDigest: 'a', seen: null, seenDigest: null },
    };
    const look = () => step(store(), (tx) => tx.mcpTool(tool.name), { mcpTools: [tool.name] });
    expect(await look()).toBeUndefined();
    await write(store(), (tx) => tx.putMcpTool(tool));
    expect(await look()).toStrictEqual(tool);
    await write(store(), (tx) => tx.putMcpTool({ ...tool, acceptedDigest: 'b' }));
    expect(await look()).toMatchObject({ acceptedDigest: 'b' });
  });
}

const nothing = { changes: [], emissions: [], records: [], wakes: [] };
