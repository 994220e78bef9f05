import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { json, startWireServer, type WireServer } from '../../packages/providers/src/testing/wire-server.js';
import { openHarbourServer, type HarbourServer } from './harbour-server.js';

const KEY = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
let t: HarbourServer;
let models: WireServer;
beforeAll(async () => {
  t = await openHarbourServer();
  models = await startWireServer();
});
afterAll(async () => {
  await models.close();
  await t.close();
});

const listed = json(200, { data: [{ id: 'llama-3', context_length: 8192 }] });
const add = ['providers', 'add', 'openai-compatible', '--base-url'];

describe('countersign providers', () => {
  it('[TERM3.4] [MODEL9] adds a provider with a key from standard input and tests it, then shows, edits and removes it', async () => {
    models.will(listed);
    const added = await t.runHere([...add, models.url, '--name', 'GPU box', '--api-key-stdin'], { input: `${KEY}\n` });
    expect(added).toMatchObject({ code: 0, stdout: '' });
    expect(added.stderr).toContain('Added the provider "gpu-box".');
    expect(added.stderr).toContain('GPU box: It answers and lists 1 model.');
    expect(added.stderr).toContain('\n  countersign agents add NAME --provider gpu-box --model MODEL\n');
    expect(added.stderr).not.toContain('saved anyway');
    expect(models.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    const shown = await t.runHere(['providers']);
    expect(shown.stdout).toMatch(/gpu-box +GPU box +configured +http:\S+\/v1 +saved, encrypted/);
    models.will(listed);
    expect((await t.runHere(['providers', 'models', 'gpu box'])).stdout).toMatch(/llama-3 +8,192/);
    models.will(json(401, { error: { message: `Incorrect API key provided: ${KEY}` } }));
    const test = await t.runHere(['providers', 'test', 'gpu-box']);
    expect(test).toMatchObject({ code: 1, stderr: expect.stringContaining('rejected the API key') as string });
    models.will(json(404, { error: { message: 'no such model', code: 'model_not_found' } }), listed);
    const unknown = await t.runHere(['providers', 'test', 'gpu-box', '--model', 'lama-3']);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean "llama-3"?') as string });
    expect(unknown.stderr).toContain('\n  countersign providers models gpu-box\n');
    const renamed = await t.runHere(['providers', 'edit', 'gpu-box', '--name', 'Big box', '--no-api-key']);
    expect(renamed).toMatchObject({ code: 0, stderr: 'Updated the provider "gpu-box".\n' });
    expect(await t.runHere(['providers', 'remove', 'Big box', '--yes'])).toMatchObject({ code: 0 });
    for (const { stdout, stderr } of [added, shown, test, renamed]) expect(stdout + stderr).not.toContain(KEY);
  });

  it('[TERM3.4] takes a key from a variable, and saves a provider whose test fails', async () => {
    models.will(json(401, { error: { message: 'no' } }));
    const words = [...add, models.url, '--name', 'Env box', '--api-key-env', 'BOX_KEY'];
    const added = await t.runHere(words, { env: { BOX_KEY: KEY } });
    expect(added).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Added the provider "env-box".') as string,
    });
    expect(added.stderr).toContain('The provider is saved anyway. To change or remove it:');
    expect(added.stderr).toContain('\n  countersign providers edit env-box --new-key\n');
    expect(added.stderr).toContain('\n  countersign providers remove env-box\n');
    expect(added.stderr).not.toContain('agents add');
    expect((await t.client.providers()).items.some(({ id }) => id === 'env-box')).toBe(true);
    const moved = await t.runHere(['providers', 'edit', 'env-box', '--base-url', 'http://127.0.0.1:9/v1']);
    expect(moved).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it would be sent to another server') as string,
    });
    expect(moved.stderr).toContain('Add --new-key to be prompted for it, or --no-api-key to remove it.');
    await t.client.removeProvider('env-box');
    expect((await t.runHere(words)).stderr).toContain('The environment variable BOX_KEY is not set.');
  });

  it('[TERM3.4] refuses a key in an argument, an unknown kind and a missing key, and saves nothing', async () => {
    for (const argument of [`--api-key=${KEY}`, '--api-key']) {
      const refused = await t.runHere([...add, models.url, argument]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('can read the arguments') as string });
      expect(refused.stderr).not.toContain(KEY);
    }
    const kind = await t.runHere(['providers', 'add', 'opnai', '--api-key-stdin'], { input: KEY });
    expect(kind).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "openai"?') as string });
    expect((await t.runHere(['providers', 'add', 'openai'])).stderr).toContain('OpenAI needs an API key.');
    const split = await t.runHere([...add, models.url, '--api-key-stdin'], { input: 'two\nlines' });
    expect(split).toMatchObject({ code: 2, stderr: expect.stringContaining('apiKey: must be one word') as string });
    const source = (await t.client.providers()).items.map((provider) => provider.source);
    expect(source).not.toContain('stored');
  });

  it('[TERM3.4] prompts for the key without showing it', async () => {
    models.will(listed);
    const terminal = t.terminal([...add, models.url, '--name', 'Asked']);
    await terminal.waitFor('API key for');
    terminal.type(`${KEY}\r`);
    await terminal.waitFor('lists 1 model');
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.raw()).not.toContain(KEY);
    expect(models.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    await t.client.removeProvider('asked');
  });

  itAtFullSize('[TERM3.4] does not show a key that is typed for --api-key-stdin', async () => {
    models.will(listed);
    const terminal = t.terminal([...add, models.url, '--name', 'Typed', '--api-key-stdin']);
    await terminal.waitFor('API key for');
    terminal.type(`${KEY}\r`);
    await terminal.waitFor('lists 1 model');
    expect(terminal.raw()).not.toContain(KEY);
    expect(models.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    await t.client.removeProvider('typed');
  });

  it('[MODEL7.9] warns about a key sent over plain HTTP to another machine, and saves it', async () => {
    const words = [...add, 'http://gpu.invalid/v1', '--name', 'Plain', '--no-test', '--api-key-stdin'];
    const added = await t.runHere(words, { input: KEY });
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('everyone on the network') as string });
    const edited = await t.runHere(['providers', 'edit', 'plain', '--no-api-key']);
    expect(edited.stderr).toBe('Updated the provider "plain".\n');
    await t.client.removeProvider('plain');
  });

  it('[MODEL9.2] an agent with an unknown model is saved after a warning; an unknown provider is refused', async () => {
    await t.client.addProvider({ kind: 'vllm', name: 'Box', baseUrl: models.url });
    models.will(listed);
    const words = ['agents', 'add', 'Bea', '-w', 'docks', '--provider', 'box', '--model', 'lama-3'];
    const added = await t.runHere(words);
    expect(added.code).toBe(0);
    expect(added.stderr).toContain(
      '"box" does not list the model "lama-3". Did you mean "llama-3"? It was saved anyway.',
    );
    models.will(listed);
    const agent = { name: 'Dee', provider: 'box', model: 'lama-3' };
    const { id, unknownModel } = await t.client.createAgent('docks', agent);
    expect(unknownModel).toEqual({ closest: 'llama-3' });
    models.will(listed);
    expect(await t.client.updateAgent('docks', id, { model: 'llama-3' })).not.toHaveProperty('unknownModel');
    await t.client.deleteAgent('docks', id);
    const refused = await t.runHere(['agents', 'add', 'Cy', '-w', 'docks', '--provider', 'opnai', '--model', 'm']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('There is no provider "opnai". Did you mean "openai"?');
    const used = await t.runHere(['providers', 'remove', 'box', '--yes']);
    expect(used).toMatchObject({ code: 1, stderr: expect.stringContaining('Bea (Docks)') as string });
    expect((await t.runHere(['providers', 'remove', 'box', '--yes', '--force'])).code).toBe(0);
  });
});
