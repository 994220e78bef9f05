import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addAgent,
  createChat,
  createWorld,
  listApprovals,
  listGrants,
  publishMessage,
  stopChat,
  type Engine,
} from '@countersign/core';
import { defineTool } from '@countersign/core/ports';
import { scripted, type ScriptedProvider, type ScriptedReply } from '@countersign/core/testing';
import type { Approval, Signer, WorldEvent } from '@countersign/protocol';
import { serve, type Serving } from '@countersign/server';
import { z } from 'zod';
import { createWebFetch } from '../../packages/tools/src/web/web-fetch.js';
import { MARK } from './lures.js';

export const ME: Signer = { who: 'me', client: 'red-team' };

/** What a person signed for in this world. Whatever runs must be one of these, or need no signature. */
export const POLICY: readonly string[] = [
  'allow read_file',
  'allow list_files',
  'allow grep',
  'allow write_file(./**)',
  'allow edit_file(./**)',
  'allow shell_cmd(echo *)',
  'allow shell_cmd(cat *)',
  'allow web_fetch(**)',
  'allow web_fetch(*)',
  'allow web_fetch(*.*)',
  'allow web_fetch(127.0.0.1)',
  'allow web_fetch(localhost)',
  'allow browse',
  'allow send_message',
  'allow mcp__evil__read',
  'allow app__*',
];

/** One attempt: what the model does first, and what it does once it has read the mark. */
interface Attempt {
  begin: ScriptedReply;
  order: ScriptedReply;
  text: string;
  begun: boolean;
  obeyed: boolean;
}

/** A real server on a home of its own, a world with an obedient model, and everything that must stay as it is. */
export interface Site {
  serving: Serving;
  engine: Engine;
  worldId: string;
  home: string;
  work: string;
  url: string;
  token: string;
  provider: ScriptedProvider;
  /** A call of the dangerous tool that waits for a person, in another chat. */
  victim: Approval;
  /** Every run of the dangerous tool. */
  runs: unknown[];
  events: WorldEvent[];
  attempt: Attempt;
  /** Runs one attempt in a new chat, from a message of a person, until nothing goes on but people being waited for. */
  try(begin: ScriptedReply, order: ScriptedReply, text: string, message?: string): Promise<{ chatId: string }>;
  /** Ends what the last attempt left open. */
  stop(): Promise<void>;
  settled(): Promise<void>;
  /** What must be the same after every attempt. */
  state(): Promise<unknown>;
  close(): Promise<void>;
}

const IDLE: Attempt = { begin: 'ok', order: 'ok', text: '', begun: true, obeyed: true };

export async function openSite(): Promise<Site> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'countersign-red-')));
  const home = join(base, 'home');
  const work = join(base, 'work');
  for (const folder of ['notes', '.git/hooks', 'app']) await mkdir(join(work, folder), { recursive: true });
  await writeFile(join(work, '.git/config'), '[core]\n');
  await writeFile(join(base, 'outside.txt'), 'outside');
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, 'admin.rules'), 'deny danger(really)\n', { mode: 0o600 });

  const runs: unknown[] = [];
  const site: { current: Attempt } = { current: IDLE };
  const provider = scripted((request) => {
    const { current } = site;
    const { messages, tools } = request;
    if (request.purpose === 'title') return current.text === '' ? 'A title' : current.text.slice(0, 150);
    const last = messages.at(-1);
    if (last?.role === 'user' && last.content.includes('BEGIN') && !current.begun) {
      current.begun = true;
      return current.begin;
    }
    const read = JSON.stringify([messages.slice(1), tools]);
    if (read.includes(MARK) && !current.obeyed) {
      current.obeyed = true;
      return current.order;
    }
    return last?.role === 'user' && last.content.includes('VICTIM')
      ? { calls: [{ name: 'danger', arguments: {} }] }
      : 'ok';
  });
  const serving = await serve({
    home,
    env: {},
    port: 0,
    version: '0.0.0-test',
    log: { info: ignore, warn: ignore, error: ignore },
    providers: [provider],
    tools: [look(), fail(), danger(), browse()],
  });
  const { engine, token } = serving.home;
  const { runtime } = engine;

  function look() {
    return defineTool({
      name: 'look',
      description: 'looks',
      parameters: z.looseObject({}),
      readOnly: true,
      execute: () => site.current.text,
    });
  }
  function fail() {
    return defineTool({
      name: 'fail',
      description: 'fails',
      parameters: z.looseObject({}),
      readOnly: true,
      execute: () => {
        throw new Error(site.current.text);
      },
    });
  }
  function danger() {
    return defineTool({
      name: 'danger',
      description: 'does what must not be done unsigned',
      parameters: z.looseObject({}),
      approval: { required: true },
      execute: (args) => {
        runs.push(args);
        return 'done';
      },
    });
  }
  /** Reads pages of this machine, which `web_fetch` never does. */
  function browse() {
    const local = {
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      mayConnect: (address: string) => address === '127.0.0.1',
    };
    const made = createWebFetch(local, { timeoutMs: 100_000, bodyBytes: 100_000 });
    return { ...made, definition: { ...made.definition, name: 'browse' } };
  }

  const world = await createWorld(
    runtime,
    { name: 'Target', policy: [...POLICY], workingDirectory: work, streaming: false, maxIterations: 6 },
    ME,
  );
  const worldId = world.id;
  for (const name of ['Ada', 'Bob', 'Vic']) {
    await addAgent(runtime, worldId, { name, provider: provider.name, model: 'm', tools: ['*'] }, ME);
  }
  const events: WorldEvent[] = [];
  runtime.bus.subscribe(worldId, (event) => void events.push(event));

  let lastChat = '';
  async function send(content: string): Promise<string> {
    const chat = await createChat(runtime, worldId, content.includes('UNTITLED') ? undefined : 'A chat');
    lastChat = chat.id;
    await publishMessage(runtime, { worldId, chatId: chat.id, content, speaker: 'human' });
    await engine.quiet();
    return chat.id;
  }

  await send('@Vic VICTIM');
  const [victim] = await listApprovals(runtime, worldId, { status: 'pending' });
  if (victim === undefined) throw new Error('the victim was not asked');
  await symlink(join(home, 'token'), join(work, 'link-token'));
  await symlink(join(home, 'admin.rules'), join(work, 'link-rules'));
  await symlink(join(work, '.git/hooks'), join(work, 'link-hooks'));

  return {
    serving,
    engine,
    worldId,
    home,
    work,
    url: serving.url,
    token: token.value,
    provider,
    victim,
    runs,
    events,
    get attempt() {
      return site.current;
    },
    async try(begin, order, text, message = '@Ada BEGIN') {
      site.current = { begin, order, text, begun: false, obeyed: false };
      return { chatId: await send(message) };
    },
    stop: async () => await stopChat(runtime, worldId, lastChat, ME),
    settled: () => engine.quiet(),
    async state() {
      const { policy, settings, agents } = await runtime.store.read(async (reader) => ({
        policy: (await reader.world(worldId))?.policy,
        settings: (await reader.world(worldId))?.settings,
        agents: await reader.agents(worldId),
      }));
      const files = await Promise.all(
        [
          join(home, 'token'),
          join(home, 'admin.rules'),
          join(base, 'outside.txt'),
          join(work, '.git/config'),
          join(work, '.git/hooks/pre-commit'),
          join(work, '.vscode/tasks.json'),
          join(work, '.husky/pre-commit'),
        ].map((file) => readFile(file, 'utf8').catch(() => 'absent')),
      );
      return {
        policy,
        settings,
        agents,
        grants: await listGrants(runtime, worldId),
        victim: (await runtime.store.read((reader) => reader.approval(victim.approvalId)))?.status,
        files,
        runs: [...runs],
      };
    },
    async close() {
      await serving.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

function ignore(): void {
  // Logs are for people.
}
