import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog, serve } from '@countersign/server';
import { AGENT, bookRoom, scriptedProvider } from './ours.mjs';
import { historyOf, QUESTION } from './script.mjs';

/** This project as its server: everything over HTTP, answers as streams, each step on the disk with full fsync. */
export function describe() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  let made = 0;
  return {
    name: 'Countersign, over HTTP',
    packageName: 'countersign',
    subject: (work) => open(join(folder, String((made += 1))), work),
  };
}

async function open(home, { tools: count, gated, history, streaming }) {
  const quiet = createLog({ level: 'error', isTerminal: false, write: () => undefined, now: Date.now, secrets: [] });
  const token = 'a-token-for-the-benchmark-0123456789abcdefghij';
  const serving = await serve({
    home,
    env: { COUNTERSIGN_TOKEN: token },
    log: quiet,
    port: 0,
    providers: [scriptedProvider(count)],
    tools: [bookRoom(gated)],
    sandbox: { kind: 'none', reason: 'no command runs here' },
    ollamaUrl: 'http://127.0.0.1:9',
    version: 'bench',
  });
  async function call(method, path, body, accept = 'application/json') {
    const response = await fetch(`${serving.url}/api${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: accept },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return accept === 'application/json' && text !== '' ? JSON.parse(text) : text;
  }
  const STREAM = 'text/event-stream';
  const world = await call('POST', '/worlds', { name: 'Bench', streaming, turnLimit: 1000 });
  const at = `/worlds/${world.id}`;
  await call('POST', `${at}/agents`, AGENT);
  const chat = await call('POST', `${at}/chats`, {});
  const say = (content) => call('POST', `${at}/chats/${chat.id}/messages`, { content }, STREAM);
  for (const { role, content } of historyOf(history)) if (role === 'user') await say(content);
  let approvals;
  return {
    async pause() {
      if (!gated) return;
      await say(QUESTION);
      approvals = (await call('GET', `${at}/approvals`)).items;
    },
    async finish() {
      let stream = '';
      if (!gated) stream = await say(QUESTION);
      else {
        for (const [index, { approvalId, callHash }] of approvals.entries()) {
          const isLast = index === approvals.length - 1;
          const decision = { tool_call_id: approvalId, callHash, decision: 'approve' };
          stream = await call('POST', `${at}/tool-results`, decision, isLast ? STREAM : 'application/json');
        }
      }
      return answerIn(stream);
    },
    close: () => serving.close(),
  };
}

/** The last words of an agent in what was streamed. */
function answerIn(stream) {
  const [last] = stream
    .split('\n\n')
    .filter((frame) => /^event: message$/m.test(frame))
    .slice(-1);
  return last === undefined ? undefined : JSON.parse(/^data: (.*)$/m.exec(last)[1]).content;
}
