import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostileCalls } from '@countersign/core/testing';
import { editFile, openWorld, scripted, shellCmd, writeFile, type OpenedChat, type OpenedWorld } from 'countersign';
import { afterEach, expect, it } from 'vitest';

let world: OpenedWorld | undefined;
let folder: string | undefined;
afterEach(async () => {
  await world?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

it('[SAFE6.2] [LOG1] a model that disguises its payload as a secret hides it neither on the card nor in the audit log', async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-masked-')));
  const attacks = hostileCalls()
    .filter(({ tool }) => tool === 'shell_cmd' || tool === 'write_file')
    .filter((_, index) => index % 9 === 0);
  const calls = attacks.map(({ tool: name, arguments: args }) => ({ name, arguments: args }));
  const perMessage = 64;
  const messages = Array.from({ length: Math.ceil(calls.length / perMessage) }, (_, index) =>
    calls.slice(index * perMessage, (index + 1) * perMessage),
  );
  world = await openWorld(':memory:', {
    providers: [scripted(messages.map((some) => ({ calls: some })))],
    tools: [shellCmd({ sandbox: { kind: 'none', reason: 'nothing runs here' } }), writeFile(), editFile()],
    workingDirectory: folder,
    agents: [{ name: 'Ada', provider: 'scripted', model: 'm', tools: ['*'] }],
  });
  const chats: OpenedChat[] = [];
  for (const _ of messages) {
    const chat = await world.chat();
    await chat.send('go');
    await chat.settled();
    chats.push(chat);
  }
  const approvals = await world.approvals();
  const requests = (await world.audit()).filter(({ kind }) => kind === 'request');
  expect(approvals.length).toBeGreaterThan(60);
  expect({ asked: approvals.length }).toEqual({ asked: attacks.length });
  expect(requests).toHaveLength(approvals.length);
  const shown = new Map(approvals.map(({ toolCallId, ...card }) => [toolCallId, card]));
  const said = (await Promise.all(chats.map((chat) => chat.messages()))).flat();
  const asked = said.flatMap(({ tool_calls: made }) => made ?? []).filter(({ id }) => shown.has(id));
  const hidden = asked.flatMap(({ id }, index) => {
    const card = shown.get(id);
    const payload = JSON.stringify(attacks[index]?.payload ?? '').slice(1, -1);
    const record = requests.find(({ invocationId }) => invocationId === id);
    if (card === undefined) return [];
    const texts = [
      card.arguments,
      record?.arguments,
      ...(card.preview?.truncated === false ? [card.preview.text] : []),
    ];
    return texts.some((text) => !JSON.stringify(text).includes(payload)) ? [attacks[index]] : [];
  });
  expect(hidden).toEqual([]);
});
