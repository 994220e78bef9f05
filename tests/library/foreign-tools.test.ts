import { defineTool, fromAiSdk, fromLangChain, openWorld, scripted, type ScriptedCall, type Tool } from 'countersign';
import { afterEach, describe, expect, it } from 'vitest';

interface ForeignTools {
  ran: string[];
  schemas: Record<string, never>;
  plainValibot: never;
  zod3Kinds: never;
  zod3Date: never;
  aiTools: Record<string, never>;
  clientTool: Record<string, never>;
  langChainTools: never[];
}

// By URL: the libraries are needed to run this test, not to type-check the rest.
const fixtures = new URL('fixtures/foreign-tools.mjs', import.meta.url).href;
const foreign = (await import(fixtures)) as ForeignTools;

afterEach(() => void foreign.ran.splice(0));

/** Lets a model make these calls, and returns the world, its chat and the arguments of the waiting calls. */
async function propose(tools: readonly Tool[], ...calls: ScriptedCall[]) {
  const world = await openWorld(':memory:', {
    agents: [{ name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] }],
    providers: [scripted([{ say: 'now', calls }, 'done'])],
    tools,
  });
  const chat = await world.chat();
  await chat.send('go');
  await chat.settled();
  return { world, chat, waiting: await world.approvals() };
}

async function approveAll({ world, chat, waiting }: Awaited<ReturnType<typeof propose>>): Promise<string[]> {
  for (const approval of waiting) await world.decide(approval, { decision: 'approve' });
  await chat.settled();
  const messages = await chat.messages();
  await world.close();
  return messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
}

describe('parameters of a tool', () => {
  it.each(Object.keys(foreign.schemas))('[LIB4] can be written with %s', async (library) => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'walk',
      description: 'Walks.',
      parameters: foreign.schemas[library] as never,
      approval: { required: true, message: 'Walk to {path}?' },
      execute: (args) => seen.push(args),
    });
    expect(tool.definition.parameters).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string' }, depth: { type: 'integer' } },
      required: ['path'],
    });
    const right = { name: 'walk', arguments: { path: 'a' } };
    const wrong = { name: 'walk', arguments: { path: 'a', depth: 10 } };
    const worse = { name: 'walk', arguments: { path: 7 } };
    const t = await propose([tool], right, wrong, worse);
    expect(t.waiting.map(({ message }) => message)).toEqual(['Walk to a?']);
    const results = (await approveAll(t)).join('\n');
    expect(results).toContain('depth');
    expect(results).toContain('path');
    expect(seen).toEqual([{ path: 'a', depth: 1 }]);
  });

  it('[LIB4.1] of zod 3 become JSON Schema', () => {
    const { definition } = defineTool({ name: 'x', description: 'x', parameters: foreign.zod3Kinds, execute: () => 1 });
    expect(definition.parameters).toEqual({
      type: 'object',
      properties: {
        list: { type: 'array', items: { enum: ['a', 'b'] } },
        either: { anyOf: [{ const: 'x' }, { type: 'null' }] },
        maybe: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
        any: {},
        map: { type: 'object', additionalProperties: { type: 'number' } },
        inner: {
          type: 'object',
          properties: { n: { type: 'number' } },
          required: ['n'],
          additionalProperties: false,
        },
        lower: { type: 'string' },
      },
      required: ['list', 'either', 'any', 'map', 'inner', 'lower'],
    });
  });

  it('[LIB4.1] are refused with advice if no JSON Schema can be derived from them', () => {
    const define = (parameters: unknown) => () =>
      defineTool({ name: 'x', description: 'x', parameters: parameters as never, execute: () => 1 });
    expect(define(foreign.plainValibot)).toThrow('toStandardJsonSchema from @valibot/to-json-schema');
    expect(define(foreign.zod3Date)).toThrow("JSON Schema can't be derived from a ZodDate");
    const unknownLibrary = { '~standard': { version: 1, vendor: 'other', validate: (value: unknown) => ({ value }) } };
    expect(define(unknownLibrary)).toThrow("This other schema can't be converted to JSON Schema");
  });

  it('[LIB4.1] that validate asynchronously cause every call to be refused', async () => {
    const slow = {
      '~standard': {
        version: 1,
        vendor: 'slow',
        validate: async (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
    } as const;
    const tool = defineTool({ name: 'x', description: 'x', parameters: slow, execute: () => foreign.ran.push('x') });
    const results = await approveAll(await propose([tool], { name: 'x', arguments: {} }));
    expect([foreign.ran, results.join()]).toEqual([[], expect.stringContaining('is asynchronous')]);
  });
});

describe('tools of the AI SDK', () => {
  it('[LIB4.2] run as they are, and only after approval', async () => {
    const tools = fromAiSdk(foreign.aiTools);
    expect(tools.map(({ definition }) => [definition.name, definition.approval?.required])).toEqual([
      ['remove', true],
      ['look', false],
      ['count', true],
    ]);
    const t = await propose(
      tools,
      { name: 'remove', arguments: { path: 'a' } },
      { name: 'look', arguments: { at: 'b' } },
      { name: 'look', arguments: { at: 7 } },
      { name: 'count', arguments: { to: 3 } },
      { name: 'count', arguments: { to: 'three' } },
      { name: 'count', arguments: { to: 4 } },
    );
    expect(t.waiting.map(({ toolName }) => toolName)).toEqual(['remove', 'count', 'count']);
    expect(foreign.ran).toEqual(['look {"at":"b"}']);
    const results = (await approveAll(t)).join('\n');
    expect(foreign.ran.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'count {"to":3}',
      'look {"at":"b"}',
      'remove {"path":"a"}',
    ]);
    expect(results).toContain('remove is done true');
    expect(results).toContain('count is done');
    expect(results).toContain('not four');
  });

  it('[LIB4.2] that can’t wait for approval are refused', () => {
    expect(() => fromAiSdk(foreign.clientTool)).toThrow('fromAiSdk: ask: has no execute function');
    const hosted = { search: { type: 'provider-executed', inputSchema: {}, execute: () => 1 } };
    expect(() => fromAiSdk(hosted)).toThrow('search: is run by its vendor');
    const lazy = { slow: { inputSchema: { jsonSchema: Promise.resolve({}) }, execute: () => 1 } };
    expect(() => fromAiSdk(lazy)).toThrow('slow: loads its schema asynchronously');
    expect(() => fromAiSdk([] as never)).toThrow('tools: must be an object');
    expect(() => fromAiSdk({ nothing: null } as never)).toThrow('nothing: must be an AI SDK tool');
  });
});

describe('tools of LangChain', () => {
  it('[LIB4.3] run as they are, and only after approval', async () => {
    const tools = fromLangChain(foreign.langChainTools);
    const t = await propose(
      tools,
      { name: 'fetch_page', arguments: { url: 'a' } },
      { name: 'weigh', arguments: { kilos: 2 } },
      { name: 'weigh', arguments: { kilos: 'two' } },
      { name: 'plain', arguments: { a: 'b' } },
      { name: 'echo', arguments: { input: 'hi' } },
    );
    expect([foreign.ran, t.waiting.length]).toEqual([[], 4]);
    const results = (await approveAll(t)).join('\n');
    expect(foreign.ran.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'echo "hi"',
      'fetch_page {"url":"a!"}',
      'plain {"a":"b"}',
      'weigh {"kilos":2}',
    ]);
    expect(results).toContain('echo is done');
  });

  it('[LIB4.3] never run with arguments hidden in an envelope, which LangChain would unpack after the gate', async () => {
    const envelope = { type: 'tool_call', id: '1', name: 'weigh', args: { kilos: 9000 } };
    const t = await propose(
      fromLangChain(foreign.langChainTools),
      { name: 'weigh', arguments: { kilos: 2, ...envelope } },
      { name: 'plain', arguments: { a: 'b', ...envelope, args: { a: 'c' } } },
    );
    const results = (await approveAll(t)).join('\n');
    expect(foreign.ran).toEqual([]);
    expect(results).toContain('\\"tool_call\\"');
  });

  it('[LIB4.3] are refused if they are not tools', () => {
    expect(() => fromLangChain({} as never)).toThrow('must be a list of LangChain tools');
    expect(() => fromLangChain([{ name: 'x' }] as never)).toThrow('tools.0: must be a LangChain tool');
    const wordless = { name: 'x', description: 'x', schema: undefined, invoke: async () => 1 };
    expect(() => fromLangChain([wordless])).toThrow('x: schema must be the schema of an object');
  });
});
