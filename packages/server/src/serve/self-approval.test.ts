import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  agentSchema,
  chatSchema,
  listOf,
  messageSchema,
  queuedApprovalSchema,
  worldSchema,
  type QueuedApproval,
} from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startModel } from '../testing/model-server.js';
import { openStream } from '../testing/open-stream.js';
import { startServer, type ServerProcess } from '../testing/start-process.js';

let folder = '';
let home = '';
let servers: ServerProcess[] = [];
let model: Server | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-sign-'));
  home = join(folder, 'home');
});
afterEach(async () => {
  for (const server of servers) await server.end('SIGKILL');
  servers = [];
  model?.close();
  await rm(folder, { recursive: true, force: true });
});

const APPROVALS = listOf(queuedApprovalSchema);

/** A server whose agent requests all given commands at once and repeats their results. */
async function start(commands: (server: ServerProcess) => readonly string[], env: Record<string, string> = {}) {
  const started: { server?: ServerProcess } = {};
  const made = await startModel((messages) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return `I was told: ${messages.map(({ content }) => JSON.stringify(content)).join(' ')}`;
    if (started.server === undefined) return 'not yet';
    return commands(started.server).map((command) => ({ name: 'shell_cmd', arguments: { command } }));
  });
  model = made.server;
  const server = await startServer(home, { env: { ...made.env, ...env } });
  started.server = server;
  servers.push(server);
  const world = await server.api('/worlds', worldSchema, { method: 'POST', body: { name: 'Lab', streaming: false } });
  await server.api(`/worlds/${world.id}/agents`, agentSchema, {
    method: 'POST',
    body: { name: 'Ada', provider: 'openai', model: 'm', tools: ['shell_cmd'] },
  });
  const chat = await server.api(`/worlds/${world.id}/chats`, chatSchema, { method: 'POST', body: {} });
  return { server, env: { ...made.env, ...env }, world: `/worlds/${world.id}`, chat: chat.id };
}

/** Sends a message and resolves when the chat has settled. */
async function say(server: ServerProcess, path: string): Promise<void> {
  const stream = await openStream(`${server.url}/api${path}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, accept: 'text/event-stream' },
    body: { content: 'go' },
  });
  expect(await stream.over).toBe(true);
}

async function approve(server: ServerProcess, world: string, { approvalId, callHash }: QueuedApproval): Promise<void> {
  await server.api(`${world}/tool-results`, z.unknown(), {
    method: 'POST',
    body: { tool_call_id: approvalId, callHash, decision: 'approve', scope: 'once' },
  });
}

const pending = async (server: ServerProcess, world: string): Promise<QueuedApproval[]> =>
  (await server.api(`${world}/approvals?status=pending`, APPROVALS)).items;

// Starts several processes, which is slow on a busy machine.
describe('an agent with an approved command', () => {
  it('[SAFE1] [STORE3] [CALL9] finds no token, can’t see our home and can’t approve its next call over HTTP, which waits after a crash and runs once', async () => {
    const { server, env, world, chat } = await start(({ url }) => {
      const { port } = new URL(url);
      // Searches for credentials everywhere, then tries to approve the next call with what it found.
      const hunt = `
        exec 2>&1
        echo "== environment"; env; cat /proc/*/environ | tr '\\0' '\\n'
        echo "== processes"; cat /proc/*/cmdline | tr '\\0' ' '
        echo "== home"; ls -laR ${home}; cat ${home}/token ${home}/server.json ${home}/countersign.db
        echo "== files"; grep -rIl --exclude-dir=proc --exclude-dir=sys -E 'countersign' /tmp /var/tmp /run /dev/shm "$HOME" .. | head
        find / -maxdepth 4 -not -path '/proc/*' \\( -name token -o -name 'countersign.db*' \\) | head
        echo "== network"
        for address in 127.0.0.1 localhost ::1 0.0.0.0; do
          if exec 7<>/dev/tcp/$address/${port}; then
            printf 'POST /api/worlds/lab/tool-results HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' "$(cat ${home}/token)" >&7
            head -c 200 <&7; echo "REA""CHED $address"
          fi
        done
        echo "== end"`;
      return [hunt, 'echo ran >> runs.txt; cat runs.txt'];
    });
    await say(server, `${world}/chats/${chat}`);
    const [first, second] = await pending(server, world);
    if (first === undefined || second === undefined) throw new Error('two calls should wait');
    await approve(server, world, first);
    const settled = z.object({ items: z.array(messageSchema) });
    const messages = () => server.api(`${world}/chats/${chat}/messages`, settled);
    await expect
      .poll(async () => JSON.stringify((await messages()).items.filter(({ role }) => role === 'tool')), {
        timeout: 90_000,
      })
      .toContain('== end');
    const found = JSON.stringify((await messages()).items.filter(({ role }) => role === 'tool'));
    expect(found).toContain('== network');
    expect(found).not.toContain(server.token);
    expect(found).not.toContain('REACHED');
    expect(found).not.toContain('cookieHash');
    expect(found).not.toContain('SQLite format');
    expect(found).not.toContain('not-a-key');
    // The second call is still pending and has not run.
    const waiting = await pending(server, world);
    expect(waiting.map(({ approvalId }) => approvalId)).toEqual([second.approvalId]);
    expect(existsSync(join(second.workingDirectory, 'runs.txt'))).toBe(false);

    await server.end('SIGKILL');
    const again = await startServer(home, { env });
    servers.push(again);
    const [after] = await pending(again, world);
    expect(after).toEqual(waiting[0]);
    if (after === undefined) throw new Error('the call should wait');
    const stream = await openStream(`${again.url}/api${world}/tool-results`, {
      method: 'POST',
      headers: { authorization: `Bearer ${again.token}`, accept: 'text/event-stream' },
      body: { tool_call_id: after.approvalId, callHash: after.callHash, decision: 'approve', scope: 'once' },
    });
    expect(await stream.over).toBe(true);
    const types = stream.frames.filter(({ event }) => event === 'tool').map(({ data }) => data['type']);
    expect(types).toEqual(['TOOL_APPROVED', 'TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_SUCCEEDED']);
    expect(stream.frames.some(({ data }) => String(data['content']).startsWith('I was told'))).toBe(true);
    // The same decision again must not run the call twice.
    await approve(again, world, after);
    const last = await again.api(`${world}/chats/${chat}/messages`, settled);
    const results = last.items.filter(({ role, content }) => role === 'tool' && content.includes('"ran\\n"'));
    expect(results).toHaveLength(1);
    expect(await readFile(join(second.workingDirectory, 'runs.txt'), 'utf8')).toBe('ran\n');
  });

  it('[SAFE1] [MCP1.1] the token is masked if an agent learns it, and the server’s environment exposes neither the token nor an API key', async () => {
    const token = 'the-token-of-this-test-0123456789';
    const { server, world, chat } = await start(() => [`echo ${token.slice(0, 10)}""${token.slice(10)}`], {
      COUNTERSIGN_TOKEN: token,
    });
    await say(server, `${world}/chats/${chat}`);
    const [first] = await pending(server, world);
    if (first === undefined) throw new Error('a call should wait');
    await approve(server, world, first);
    const list = z.object({ items: z.array(messageSchema) });
    const said = async () => (await server.api(`${world}/chats/${chat}/messages`, list)).items.at(-1)?.content ?? '';
    await expect.poll(said, { timeout: 90_000 }).toContain('I was told');
    expect(await said()).not.toContain(token);
    // Without a sandbox, a command can read the environment of every process of its user.
    const shown = existsSync('/proc/self/environ')
      ? await readFile(`/proc/${server.process.pid}/environ`, 'latin1')
      : 'PATH=';
    expect(shown).toContain('PATH=');
    expect(shown).not.toContain(token);
    expect(shown).not.toContain('not-a-key');
  });
});
