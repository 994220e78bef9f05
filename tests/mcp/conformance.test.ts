import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { publishMessage, decideCall } from '@countersign/core';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { root } from '../support/source-modules.js';
import { ME, openLab, type Lab } from './support/lab.js';
import { until } from './support/until.js';

const SUITE = `${root}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
const FIXTURES = `${root}tests/mcp/fixtures/`;

type Ran = { code: number; said: string };

/** Runs the official suite, which starts a server for each scenario and judges its requests. */
async function suite(...args: string[]): Promise<Ran> {
  return await new Promise((resolve) => {
    const words = ['--import', `${FIXTURES}patient-suite.mjs`, SUITE, ...args];
    execFile(process.execPath, words, (error, stdout, stderr) => {
      resolve({
        code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1,
        said: `${stdout}${stderr}`,
      });
    });
  });
}

/**
 * The whole engine is the client: a model calls, a rule allows, and the scenario's server is one of its MCP servers.
 */
const scenarios: Readonly<Record<string, (lab: Lab, url: string) => Promise<void>>> = {
  initialize: connect,
  async tools_call(lab, url) {
    await connect(lab, url);
    await lab.say('add');
    expect(lab.results().at(-1)).toContain('The sum of 5 and 3 is 8');
  },
  async 'elicitation-sep1034-client-defaults'(lab, url) {
    await connect(lab, url);
    const chat = await lab.chat();
    const { runtime } = lab.engine;
    await publishMessage(runtime, { worldId: lab.worldId, chatId: chat, content: 'ask', speaker: 'human' });
    await until(async () => (await lab.pending()).length > 0, 'it is asked');
    const [question] = await lab.pending();
    const answer = { tool_call_id: question?.approvalId ?? '', content: 'Accept' };
    await decideCall(runtime, lab.worldId, undefined, answer, ME);
    await lab.settled(chat);
  },
  async 'sse-retry'(lab, url) {
    await connect(lab, url);
    await lab.say('wait');
    expect(lab.results().at(-1)).toContain('Reconnection test completed successfully');
  },
};
const CALLS: Readonly<Record<string, { name: string; arguments?: Record<string, unknown> }>> = {
  tools_call: { name: 'mcp__suite__add_numbers', arguments: { a: 5, b: 3 } },
  'elicitation-sep1034-client-defaults': { name: 'mcp__suite__test_client_elicitation_defaults' },
  'sse-retry': { name: 'mcp__suite__test_reconnection' },
};

async function connect(lab: Lab, url: string): Promise<void> {
  await lab.add({ name: 'suite', transport: 'http', url });
  await lab.running('suite');
}

const results: string[] = [];
afterAll(() => {
  process.stdout.write(`MCP conformance (client scenarios):\n${results.join('\n')}\n`);
});

it.each(isFullSize ? Object.keys(scenarios) : ['tools_call'])(
  'passes the official client scenario %s',
  async (name) => {
    const call = CALLS[name];
    const lab = await openLab({
      script: [...(call === undefined ? [] : [{ calls: [call] }]), 'Done.'],
      policy: ['allow mcp__suite__*'],
    });
    const server = createServer((request, response) => {
      readUrl(request)
        .then(async (url) => await scenarios[name]?.(lab, url))
        // The suite waits until we disconnect.
        .then(() => lab.close())
        .then(
          () => response.end('done'),
          (error: unknown) => {
            response.statusCode = 500;
            response.end(String(error));
          },
        );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const relay = `${process.execPath} ${FIXTURES}conformance-relay.mjs http://127.0.0.1:${port}`;
    const { code, said } = await suite('client', '--command', relay, '--scenario', name, '--timeout', '120000');
    const checks = /Passed: [^\n]*/.exec(said)?.[0] ?? '';
    if (code === 0) results.push(`  passed  ${name}  ${checks}`);
    expect({ code, said }).toMatchObject({ code: 0 });
  },
);

itAtFullSize('lists the client scenarios that are skipped', async () => {
  const { said } = await suite('list', '--client');
  const known = [...said.matchAll(/^\s+- (\S+)/gm)].map(([, name]) => name ?? '');
  expect(known).toEqual(expect.arrayContaining(Object.keys(scenarios)));
  const others = known.filter((name) => !(name in scenarios));
  // OAuth is not supported: a person configures the headers of an HTTP server.
  expect(others.filter((name) => !name.startsWith('auth/'))).toEqual([]);
  results.push(`  left out  ${others.length} scenarios of auth/*: signing in by OAuth is not offered`);
});

async function readUrl(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return (JSON.parse(text) as { url: string }).url;
}
