import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedModel, type ScriptedModel } from '@countersign/providers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { closeTerminals, CTRL_C, CTRL_D, ENTER, type PseudoTerminal } from '../support/pseudo-terminal.js';
import { openHarbourServer, type HarbourServer } from './harbour-server.js';

const KEY = 'sk-test-that-must-not-be-shown-4711';

describe('[TERM1.3] countersign in a project folder', () => {
  let t: HarbourServer;
  let model: ScriptedModel;
  let repo = '';
  const served: string[] = [];
  beforeAll(async () => {
    t = await openHarbourServer();
    model = await startScriptedModel({
      script: {
        models: ['gpt-5', 'whisper-1', 'tts-1'],
        apiKey: KEY,
        replies: [
          { when: { model: 'tts-1' }, error: { status: 429 } },
          { when: { model: 'whisper-1' }, error: { status: 401, message: 'not with this key' } },
          { when: { tool: 'read_file' }, text: 'I see your folder.' },
          'ok',
        ],
      },
      onRequest: ({ path, status }) => served.push(`${status} ${path}`),
    });
    repo = join(realpathSync(t.folder), 'my.app');
    mkdirSync(repo);
    writeFileSync(join(repo, 'package.json'), '{}');
  });
  afterEach(closeTerminals);
  afterAll(async () => {
    await model.close();
    await t.close();
  });

  const open = (): PseudoTerminal =>
    t.terminal([], { cwd: repo, env: { COUNTERSIGN_URL: '', COUNTERSIGN_HOME: join(t.folder, 'home') } });
  const answer = async (terminal: PseudoTerminal, question: string | RegExp, words: string): Promise<void> => {
    await terminal.waitFor(question);
    terminal.type(`${words}${ENTER}`);
  };

  it('[TERM1.4] offers the demo, and creates nothing if the person leaves', async () => {
    const before = (await t.client.worlds()).items.length;
    const terminal = open();
    await answer(terminal, 'Number (1–2): ', '');
    await terminal.waitFor('Enter a number from 1 to 2.');
    await answer(terminal, 'Number (1–2): ', '2');
    await terminal.waitFor('Harbour  New chat');
    await terminal.waitFor('you  ');
    terminal.type(CTRL_D);
    expect(await terminal.exitCode).toBe(0);
    const left = open();
    await answer(left, 'Number (1–2): ', '1');
    await left.waitFor('Number (1–12): ');
    left.type(CTRL_C);
    await left.waitFor('Stopped. Run countersign again to continue.');
    expect(await left.exitCode).toBe(130);
    expect((await t.client.worlds()).items).toHaveLength(before);
  });

  it('[TERM1.4] [TERM1.5] leads from a provider to a chat in a world for the folder, which grants nothing', async () => {
    const terminal = open();
    await answer(terminal, 'Number (1–2): ', '1');
    // A malformed URL, a dead address and a wrong key are explained, only the wrong field is asked for again, and no such provider is kept.
    await answer(terminal, 'Number (1–12): ', '12');
    await answer(terminal, 'URL, such as', '');
    await terminal.waitFor('Enter a URL. Ctrl-C quits.');
    await answer(terminal, 'URL, such as', 'http://127.0.0.1:9/v1');
    await answer(terminal, 'API key for OpenAI-compatible (hidden', 'sk-wrong');
    await answer(terminal, 'URL (Enter for another provider): ', 'ftp://models');
    await terminal.waitFor('URL: must begin with http:// or https://');
    await answer(terminal, 'URL (Enter for another provider): ', `${model.url}/v1`);
    await terminal.waitFor(`The key you entered was for http://127.0.0.1:9. It is not sent to ${model.url}.`);
    await terminal.waitFor('API key for OpenAI-compatible (hidden, Enter for none): ');
    expect(served).toEqual([]);
    terminal.type(`sk-other${ENTER}`);
    await terminal.waitFor('API key for OpenAI-compatible (hidden, Enter for another provider): ');
    expect(served).toEqual(['401 /v1/models']);
    const saved = (await t.client.providers()).items.filter(({ source }) => source === 'stored');
    expect(saved).toEqual([]);
    terminal.type(`${KEY}${ENTER}`);
    await answer(terminal, 'Number or name: ', 'gpt-9');
    await terminal.waitFor('The provider doesn\'t list "gpt-9". Did you mean "gpt-5"?');
    // After a rate limit, the same model can be tried again.
    await answer(terminal, 'Number or name: ', '3');
    await terminal.waitFor('1  Try again');
    await answer(terminal, 'Number (1–4): ', '1');
    await terminal.waitFor('Asking tts-1 for a short answer (at most 30 s)…');
    await answer(terminal, 'Number (1–4): ', '2');
    // A key that lists the models, but may not use them, can be replaced.
    await answer(terminal, 'Number or name: ', '2');
    await terminal.waitFor('1  Another key');
    await answer(terminal, 'Number (1–3): ', '1');
    await answer(terminal, 'New API key for OpenAI-compatible (hidden, Enter to keep the saved one): ', KEY);
    await answer(terminal, 'Number (1–3): ', '2');
    await answer(terminal, 'Number or name: ', '1');
    await answer(terminal, 'Number (1–4): ', '1');
    await terminal.waitFor('Created the world my app for this folder with Reviewer.');
    await terminal.waitFor('→ Reviewer');
    await answer(terminal, 'you  ', 'hello');
    await terminal.waitFor('│ I see your folder.');
    expect(terminal.raw()).not.toContain(KEY);
    terminal.type(CTRL_D);
    const world = (await t.client.world('my-app')).value;
    expect(world).toMatchObject({ workingDirectory: repo, mode: 'ask', mainAgent: 'reviewer', unattended: 'wait' });
    expect((await t.client.policy('my-app')).value.rules).toEqual([]);
    expect((await t.client.grants('my-app')).items).toEqual([]);
    expect((await t.client.mcpServers('my-app')).items).toEqual([]);
    expect((await t.client.agents('my-app')).items).toMatchObject([{ tools: ['list_files', 'read_file', 'grep'] }]);
  });

  itAtFullSize('opens the same world the next time, without a question', async () => {
    const before = (await t.client.worlds()).items.length;
    const terminal = open();
    const shown = await terminal.waitFor('→ Reviewer');
    expect(shown).toContain('my app  New chat');
    expect(shown).not.toContain('Number');
    expect((await t.client.worlds()).items).toHaveLength(before);
  });

  itAtFullSize('[TERM1] serves in another folder, and with flags', async () => {
    const home = join(t.folder, 'other');
    const env = { COUNTERSIGN_URL: '', COUNTERSIGN_HOME: home, PORT: '0' };
    const elsewhere = t.terminal([], { cwd: t.folder, env });
    expect(await elsewhere.waitFor('Countersign is listening on')).not.toContain('Number');
    elsewhere.type(CTRL_C);
    await elsewhere.exitCode;
    const flags = t.terminal(['--no-open'], { cwd: repo, env });
    expect(await flags.waitFor('Countersign is listening on')).not.toContain('Number');
    flags.type(CTRL_C);
    await flags.exitCode;
  });
});
