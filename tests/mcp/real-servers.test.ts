import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishMessage, decideCall, readAttachment, setPolicy } from '@countersign/core';
import type { NewMcpServer } from '@countersign/protocol';
import { freshFolder, ME, openLab, type Lab } from './support/lab.js';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { PROGRAMS, startHttpServer, stdio } from './support/servers.js';
import { until } from './support/until.js';

const transports = ['stdio', 'http'] as const;

async function everything(transport: (typeof transports)[number]): Promise<NewMcpServer> {
  if (transport === 'stdio') return stdio('everything');
  const { url } = await startHttpServer([PROGRAMS.everything, 'streamableHttp'], await freePort());
  return { name: 'everything', transport, url };
}

const call = (name: string, args: Record<string, unknown> = {}) => ({
  name: `mcp__everything__${name}`,
  arguments: args,
});

describe.each(transports)('server-everything over %s', (transport) => {
  it('[CALL1.4] [CALL3] [TURN11] [TURN13] [TURN16] [MODEL12] its tools need approval; content of every kind reaches the model and the cards; its form is shown as text', async () => {
    const lab = await openLab({
      script: [
        { calls: [call('echo', { message: 'ahoy' })] },
        'Done.',
        { calls: OF_EVERY_KIND },
        'Done.',
        { calls: [call('trigger-elicitation-request')] },
        'Done.',
      ],
    });
    await lab.add(await everything(transport));
    await lab.running('everything');
    expect(await approveEcho(lab, transport)).toEqual(['{"result":"Echo: ahoy"}']);
    await setPolicy(lab.engine.runtime, lab.worldId, ['allow mcp__everything__*'], ME);
    await expectContent(lab);
    await expectForm(lab);
  });
});

/** A tool needs approval before it runs, whatever it declares. */
async function approveEcho(lab: Lab, transport: (typeof transports)[number]): Promise<string[]> {
  const chat = await lab.say('echo, please');
  const [approval] = await lab.pending();
  expect(approval).toMatchObject({
    toolName: 'mcp__everything__echo',
    arguments: { message: 'ahoy' },
    reason: { code: 'untrusted-tool' },
    sandbox: {
      kind: expect.stringMatching(transport === 'stdio' ? /^(bubblewrap|sandbox-exec|none)$/ : /^remote$/) as string,
    },
  });
  if (approval === undefined) throw new Error('nothing was asked');
  await lab.decide(approval, { decision: 'approve', scope: 'once' });
  expect(await lab.settled(chat)).toBe('idle');
  return lab.results();
}

const OF_EVERY_KIND = [
  call('get-sum', { a: 2, b: 3 }),
  call('get-tiny-image'),
  call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
  call('get-resource-reference', { resourceType: 'Blob', resourceId: 1 }),
  call('get-resource-links', { count: 2 }),
  call('get-structured-content', { location: 'New York' }),
  call('get-roots-list'),
  call('trigger-long-running-operation', { duration: 0.2, steps: 2 }),
  call('get-sum', { a: 'two' }),
];

/** Text, images, resources, links and structured content reach the model and the cards; progress reaches people. */
async function expectContent(lab: Lab): Promise<void> {
  const before = lab.events.length;
  await until(
    async () => (await lab.show('everything')).tools.includes('mcp__everything__get-roots-list'),
    'it has our roots',
  );
  Object.assign(lab.provider, { takesImages: () => true });
  const chat = await lab.say('everything, please');
  const results = lab.results();
  expect(results[0]).toContain('The sum of 2 and 3 is 5');
  expect(results[1]).toMatch(
    /"\[image\/png, \d+ kB\]".*,"attachments":\[\{"id":"[0-9a-f]{64}","bytes":\d+,"kind":"image"/,
  );
  expect(results[2]).toMatch(/"type":"resource","uri":"[^"]+","mimeType":"text\/plain","text":/);
  expect(results[3]).toMatch(
    /"type":"resource".*"content":"\[text\/plain, \d+ bytes, can be downloaded\]".*"kind":"file"/,
  );
  expect(results[4]).toMatch(/"type":"resource_link","uri"/);
  expect(JSON.parse(results[5] ?? '')).toEqual({ result: { temperature: 33, conditions: 'Cloudy', humidity: 82 } });
  expect(results[6]).toContain(`file://${lab.folder}`);
  expect(results[7]).toContain('Long running operation completed');
  expect(JSON.parse(results[8] ?? '')).toMatchObject({ error: expect.stringMatching(/number/) as string });
  const events = lab.events.slice(before);
  const succeeded = events.filter((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_SUCCEEDED');
  expect(succeeded).toHaveLength(8);
  const shown = events.flatMap((event) => (event.event === 'tool-output' ? [event.data.content] : [])).join('');
  expect(shown).toContain('1/2');
  // [TURN16] [MODEL12] Stored once, described in events, and sent to a model that accepts images.
  const files = events.flatMap((event) =>
    event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_SUCCEEDED' ? (event.data.attachments ?? []) : [],
  );
  expect(files.map(({ kind, mimeType }) => [kind, mimeType])).toEqual([
    ['image', 'image/png'],
    ['file', 'text/plain'],
  ]);
  const stored = await readAttachment(lab.engine.runtime, lab.worldId, chat, files[0]?.id ?? '');
  const images = lab.provider.requests
    .at(-1)
    ?.messages.map((message) => (message.role === 'tool' ? message.images : undefined));
  expect(images?.filter((each) => each !== undefined)).toEqual([[{ mimeType: 'image/png', data: stored.data }]]);
  expect(JSON.stringify(lab.events)).not.toContain(stored.data.slice(0, 200));
}

/** A form with many fields is shown to a person as text, and omitted fields get their defaults. */
async function expectForm(lab: Lab): Promise<void> {
  await until(
    async () => (await lab.show('everything')).tools.includes('mcp__everything__trigger-elicitation-request'),
    'it knows that people can be asked',
  );
  const chat = await lab.chat();
  const { runtime } = lab.engine;
  await publishMessage(runtime, { worldId: lab.worldId, chatId: chat, content: 'go', speaker: 'human' });
  await until(async () => (await lab.pending()).length > 0, 'it is asked');
  const [approval] = await lab.pending();
  expect(approval?.question?.text).toMatch(/asks: [\s\S]*- name \(string/);
  const kinds = approval?.question?.form?.fields.map(({ name, kind }) => `${name}: ${kind}`);
  expect(kinds).toEqual(
    expect.arrayContaining(['name: text', 'check: boolean', 'integer: integer', 'titledMultipleSelectEnum: choices']),
  );
  const answer = { tool_call_id: approval?.approvalId ?? '', content: 'name: Ada\ncheck: yes' };
  await decideCall(runtime, lab.worldId, undefined, answer, ME);
  await lab.settled(chat);
  expect(lab.results().at(-1)).toMatch(/Ada/);
}

describe('server-filesystem', () => {
  it('[MCP1] reads and writes the working folder, which is its only root', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'note.txt'), 'from outside');
    const path = (name: string): string => join(folder, name);
    const file = (name: string, args: Record<string, unknown>) => ({
      name: `mcp__filesystem__${name}`,
      arguments: args,
    });
    const lab = await openLab({
      folder,
      script: [
        {
          calls: [
            file('read_text_file', { path: path('note.txt') }),
            file('write_file', { path: path('new.txt'), content: 'from the server' }),
            file('list_allowed_directories', {}),
            file('read_text_file', { path: '/etc/passwd' }),
          ],
        },
        'Done.',
      ],
      policy: ['allow mcp__filesystem__*'],
    });
    await lab.add(stdio('filesystem', { args: [folder] }));
    await lab.running('filesystem');
    await lab.say('files, please');
    const results = lab.results();
    expect(results[0]).toContain('from outside');
    expect(await readFile(path('new.txt'), 'utf8')).toBe('from the server');
    expect(results[2]).toContain(folder);
    expect(results[3]).toMatch(/"error":.*Access denied/);
  });
});

describe('server-memory', () => {
  it('[CALL5.2] a session approval covers the next call of the same tool, and no other tool', async () => {
    const memory = (name: string, args: Record<string, unknown> = {}) => ({
      calls: [{ name: `mcp__memory__${name}`, arguments: args }],
    });
    const entity = (name: string) => ({ entities: [{ name, entityType: 'ship', observations: ['afloat'] }] });
    const lab = await openLab({
      script: [
        memory('create_entities', entity('Ada')),
        memory('create_entities', entity('Bea')),
        memory('read_graph'),
        'Done.',
      ],
    });
    await lab.add(stdio('memory', { env: { MEMORY_FILE_PATH: join(lab.folder, 'memory.jsonl') } }));
    await lab.running('memory');
    const chat = await lab.say('remember');
    const [first] = await lab.pending();
    if (first === undefined) throw new Error('nothing was asked');
    await lab.decide(first, { decision: 'approve', scope: 'session', pattern: '*' });
    await lab.settled(chat);
    const [second] = await lab.pending();
    expect(second?.toolName).toBe('mcp__memory__read_graph');
    if (second === undefined) throw new Error('nothing was asked');
    await lab.decide(second, { decision: 'approve', scope: 'once' });
    await lab.settled(chat);
    expect(lab.results().at(-1)).toMatch(/Ada[\s\S]*Bea/);
    expect(await readFile(join(lab.folder, 'memory.jsonl'), 'utf8')).toContain('Bea');
  });
});
