import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientError, createClient, type Client } from '@countersign/client';
import { ACP_PROVIDER, type Approval } from '@countersign/protocol';
import { startScriptedModel } from '@countersign/providers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { startServer, type ServerProcess } from '../../packages/server/src/testing/start-process.js';
import { ACP_AGENTS } from '../../packages/terminal/src/gate/drill/acp/acp-agents.js';
import { binOf, isInstalled, write } from './gated-agent.js';

const LIMIT_MS = 600_000;
const LIMIT = { timeout: LIMIT_MS };
const PROMPT = 'Create a file.';
const AGAIN = 'And another one.';
const CHANGE = 'Change a file.';
const LONG = 'Make twenty calls.';
/** A session of 20 calls; three of them change files. */
const SESSION = [
  { name: 'read', arguments: { filePath: 'FILE' } },
  { name: 'edit', arguments: { filePath: 'FILE', oldString: 'one', newString: 'ONE' } },
  ...Array.from({ length: 16 }, (_, at) => ({
    name: 'bash',
    arguments: { command: `echo ${at}`, description: 'Says a number' },
  })),
  { name: 'write', arguments: { filePath: 'FILE.new', content: 'new\n' } },
  { name: 'edit', arguments: { filePath: 'FILE', oldString: 'three', newString: 'THREE\nfour' } },
];
const DIFFS = ['-one\n+ONE', '+new', '-three\n+THREE\n+four'];
const EDITS = {
  gemini: [
    { name: 'replace', arguments: { file_path: 'FILE', instruction: 'x', old_string: 'two', new_string: 'TWO' } },
  ],
  opencode: [
    { name: 'read', arguments: { filePath: 'FILE' } },
    { name: 'edit', arguments: { filePath: 'FILE', oldString: 'two', newString: 'TWO' } },
  ],
} as const;

interface World {
  readonly client: Client;
  readonly world: string;
  /** Sends the prompt in a new chat. Resolves when a call waits. */
  ask(prompt?: string): Promise<{ chat: string; approval: Approval }>;
  /** The only call that waits. */
  pending(): Promise<Approval>;
  untilIdle(chat: string): Promise<void>;
  /** How many files the agent's command created. */
  created(): number;
  /** The file that it changes. */
  file(): string;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A server, and a world with the real agent over ACP, whose model wants to create a file for each prompt. */
async function openWorld(id: 'gemini' | 'opencode'): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), `countersign-acp-${id}-`));
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  const agent = ACP_AGENTS[id];
  const call = { name: agent.tool, arguments: agent.call('mktemp made.XXXXXX', true) };
  const reply = (user: string) => ({ when: { turn: 1, tool: agent.tool, user }, calls: [call] });
  const file = join(cwd, 'a.txt');
  write(file, 'one\ntwo\nthree\n');
  const edits = EDITS[id].map(({ name, arguments: args }, at) => {
    const given = JSON.parse(JSON.stringify(args).replaceAll('FILE', file)) as Record<string, unknown>;
    return { when: { turn: at + 1, tool: name, user: CHANGE }, calls: [{ name, arguments: given }] };
  });
  const session = SESSION.map(({ name, arguments: args }, at) => {
    const given = JSON.parse(JSON.stringify(args).replaceAll('FILE', file)) as Record<string, unknown>;
    return {
      when: { turn: at + 1, tool: name, user: LONG },
      text: `Step ${at + 1}.`,
      calls: [{ name, arguments: given }],
    };
  });
  const model = await startScriptedModel({
    script: { replies: [reply(PROMPT), reply(AGAIN), ...edits, ...session, 'Done.'] },
  });
  const scene = { home: folder, model: model.url };
  for (const [path, text] of Object.entries(agent.files(scene, false))) write(path, text);
  const variables = agent.env(scene);
  const port = String(await freePort());
  const env = { HOME: folder, ...variables };
  const start = async (): Promise<ServerProcess> =>
    await startServer(join(folder, 'countersign'), { words: ['--port', port], env });
  let server = await start();
  const client = createClient({ url: server.url, token: server.token });
  const { id: world } = await client.createWorld({ name: 'Acp', workingDirectory: cwd });
  const acp = { command: [binOf(id), ...agent.arguments], program: id, env: Object.keys(variables) };
  await client.createAgent(world, { name: 'Coder', provider: ACP_PROVIDER, model: id, acp });
  const within = { timeout: LIMIT_MS, interval: 200 };
  const pending = async (): Promise<Approval> => {
    const waiting = async (): Promise<readonly Approval[]> => (await client.approvals(world)).items;
    await expect.poll(async () => (await waiting()).length, within).toBe(1);
    const [approval] = await waiting();
    if (approval === undefined) throw new Error('nothing waits');
    return approval;
  };
  return {
    client,
    world,
    pending,
    file: () => readFileSync(file, 'utf8'),
    async ask(prompt = PROMPT) {
      const { id: chat } = await client.createChat(world);
      await client.send(world, chat, { content: prompt });
      return { chat, approval: await pending() };
    },
    async untilIdle(chat) {
      await expect.poll(async () => (await client.chat(world, chat)).status, within).toBe('idle');
    },
    created: () => readdirSync(cwd).filter((file) => file.startsWith('made.')).length,
    async restart() {
      await server.end('SIGKILL');
      server = await start();
    },
    async close() {
      await server.end('SIGTERM');
      await model.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

describe.each(['gemini', 'opencode'] as const)('the real %s over ACP', (agent) => {
  describe.runIf(isInstalled(agent))('in a world', () => {
    let t: World;
    beforeAll(async () => {
      t = await openWorld(agent);
    }, LIMIT_MS);
    afterAll(async () => await t.close());

    it('[EXT3.1] does not run a denied call', LIMIT, async () => {
      const { chat, approval } = await t.ask();
      await t.client.decide(t.world, approval, { decision: 'deny', reason: 'The tide is out.' });
      await t.untilIdle(chat);
      expect(t.created()).toBe(0);
    });

    it(
      '[CHANGE9] [CHANGE9.4] shows a prediction if the agent says which command runs, and runs nothing for it',
      LIMIT,
      async () => {
        const { chat, approval } = await t.ask();
        const { prediction, noEffect } = approval;
        const files = prediction?.files.map(({ change, path }) => `${change} ${path.slice(0, 5)}`);
        // A machine without a sandbox gives a reason instead. Gemini CLI sends only a title, so there is neither.
        const predicted = noEffect === undefined ? { files: ['added made.'] } : { noEffect };
        expect({ files, noEffect }).toEqual(agent === 'gemini' ? {} : predicted);
        expect(t.created()).toBe(0);
        await t.client.decide(t.world, approval, { decision: 'deny' });
        await t.untilIdle(chat);
      },
    );

    it('[CHANGE9.6] shows the change of a file that it then makes', LIMIT, async () => {
      const { chat, approval } = await t.ask(CHANGE);
      let asked = approval;
      for (const _ of EDITS[agent].slice(1)) {
        const { approvalId } = asked;
        await t.client.decide(t.world, asked, { decision: 'approve', scope: 'once' });
        const isNext = async (): Promise<boolean> => (asked = await t.pending()).approvalId !== approvalId;
        await expect.poll(isNext, { timeout: LIMIT_MS }).toBe(true);
      }
      expect(asked.prediction).toMatchObject({ ofFiles: true, files: [{ path: 'a.txt', change: 'changed' }] });
      expect(asked.preview?.text).toContain(' one\n-two\n+TWO\n three');
      await t.client.decide(t.world, asked, { decision: 'approve', scope: 'once' });
      await t.untilIdle(chat);
      expect(t.file()).toBe('one\nTWO\nthree\n');
    });

    it.runIf(agent === 'opencode')(
      '[EXT3.15] [CHANGE9.6] shows the prompt, the last words and correct diffs in a session of 20 calls',
      LIMIT,
      async () => {
        let { approval } = await t.ask(LONG);
        const diffs: string[] = [];
        for (const [at, { name }] of SESSION.entries()) {
          expect(approval.claimedContext).toEqual({ prompt: LONG, said: `Step ${at + 1}.` });
          if (name === 'edit' || name === 'write') diffs.push(approval.preview?.text ?? 'no diff');
          const { approvalId, chatId } = approval;
          await t.client.decide(t.world, approval, { decision: 'approve', scope: 'once' });
          const isLast = at === SESSION.length - 1;
          const isNext = async (): Promise<boolean> =>
            isLast
              ? (await t.client.chat(t.world, chatId)).status === 'idle'
              : (approval = await t.pending()).approvalId !== approvalId;
          await expect.poll(isNext, { timeout: LIMIT_MS }).toBe(true);
        }
        expect(diffs).toEqual(DIFFS.map((lines) => expect.stringContaining(lines) as string));
        expect(t.file()).toMatch(/^ONE\n(two|TWO)\nTHREE\nfour\n$/);
      },
    );

    it('[EXT3.6] does not run a call after the chat was stopped', LIMIT, async () => {
      const { chat, approval } = await t.ask();
      await t.client.stop(t.world, chat);
      await t.untilIdle(chat);
      await expect(t.client.decide(t.world, approval, { decision: 'approve', scope: 'once' })).rejects.toThrow(
        ClientError,
      );
      expect(t.created()).toBe(0);
    });

    it(
      '[EXT3.1] [EXT3.7] runs an allowed call once, and continues the chat after the server was killed',
      LIMIT,
      async () => {
        const { chat, approval } = await t.ask();
        await t.client.decide(t.world, approval, { decision: 'approve', scope: 'once' });
        await t.untilIdle(chat);
        expect(t.created()).toBe(1);
        await t.restart();
        await t.client.send(t.world, chat, { content: AGAIN });
        await t.client.decide(t.world, await t.pending(), { decision: 'approve', scope: 'once' });
        await t.untilIdle(chat);
        expect(t.created()).toBe(2);
      },
    );
  });
});
