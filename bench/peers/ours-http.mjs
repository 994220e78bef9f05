import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT } from './ours.mjs';
import { historyOf, QUESTION } from './script.mjs';

const program = fileURLToPath(new URL('./ours-http-server.mjs', import.meta.url));
const TOKEN = 'a-token-for-the-benchmark-0123456789abcdefghij';
const STREAM = 'text/event-stream';

/** This project as a server: all requests over HTTP, answers as streams, each step on disk with full fsync. */
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

async function open(home, work) {
  const { gated, history, streaming } = work;
  const server = fork(program, [home, TOKEN, JSON.stringify(work)], { execArgv: ['--expose-gc'] });
  process.once('exit', () => server.kill());
  const [{ url }] = await once(server, 'message');
  const world = await call('POST', '/worlds', { name: 'Bench', streaming, turnLimit: 1000 });
  const at = `/worlds/${world.id}`;
  await call('POST', `${at}/agents`, AGENT);
  return { ...(await newChat()), another: newChat, meter: () => ask('meter'), memory: () => ask('memory'), close };

  async function call(method, path, body, accept = 'application/json') {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', Accept: accept },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return accept === 'application/json' && text !== '' ? JSON.parse(text) : text;
  }

  async function ask(what) {
    const told = once(server, 'message');
    server.send(what);
    return (await told)[0];
  }

  async function close() {
    const gone = once(server, 'exit');
    server.send('close');
    await gone;
  }

  async function newChat() {
    const chat = await call('POST', `${at}/chats`, {});
    const say = (content) => call('POST', `${at}/chats/${chat.id}/messages`, { content }, STREAM);
    for (const { role, content } of historyOf(history)) if (role === 'user') await say(content);
    let approvals;
    return {
      async pause() {
        if (!gated) return;
        await say(QUESTION);
        approvals = (await call('GET', `${at}/approvals?chat=${chat.id}`)).items;
      },
      async finish() {
        if (!gated) return answerIn(await say(QUESTION));
        let stream = '';
        for (const [index, { approvalId, callHash }] of approvals.entries()) {
          const isLast = index === approvals.length - 1;
          const decision = { tool_call_id: approvalId, callHash, decision: 'approve' };
          stream = await call('POST', `${at}/tool-results`, decision, isLast ? STREAM : 'application/json');
        }
        return answerIn(stream);
      },
    };
  }
}

/** The last message from an agent in a stream. */
function answerIn(stream) {
  const [last] = stream
    .split('\n\n')
    .filter((frame) => /^event: message$/m.test(frame))
    .slice(-1);
  return last === undefined ? undefined : JSON.parse(/^data: (.*)$/m.exec(last)[1]).content;
}
