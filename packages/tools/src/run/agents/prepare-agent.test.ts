import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAgentSchema } from '@countersign/protocol';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { AGENTS } from './agents.js';
import { prepareAgent } from './prepare-agent.js';
import type { PreparedAgent } from './types.js';

const SECRET = 'sk-real-secret';

describe('preparing an agent for a run', () => {
  let folder: TestFolder;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => folder.remove());

  async function prepare(
    id: 'claude' | 'codex' | 'gemini' | 'opencode',
    variables: Record<string, string>,
    files: Record<string, unknown> = {},
  ): Promise<PreparedAgent> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder.path, path)), { recursive: true });
      await writeFile(join(folder.path, path), JSON.stringify(content));
    }
    return await prepareAgent(id, { variables, home: folder.path, folder: '/project' });
  }
  const inside = (prepared: PreparedAgent): string => JSON.stringify({ ...prepared, models: [] });

  it.each([
    ['claude', 'ANTHROPIC_API_KEY', 'x-api-key', SECRET, 'https://api.anthropic.com'],
    ['claude', 'ANTHROPIC_AUTH_TOKEN', 'authorization', `Bearer ${SECRET}`, 'https://api.anthropic.com'],
    ['claude', 'CLAUDE_CODE_OAUTH_TOKEN', 'authorization', `Bearer ${SECRET}`, 'https://api.anthropic.com'],
    ['codex', 'OPENAI_API_KEY', 'authorization', `Bearer ${SECRET}`, 'https://api.openai.com/v1'],
    ['codex', 'CODEX_API_KEY', 'authorization', `Bearer ${SECRET}`, 'https://api.openai.com/v1'],
    ['gemini', 'GEMINI_API_KEY', 'x-goog-api-key', SECRET, 'https://generativelanguage.googleapis.com'],
    ['opencode', 'OPENAI_API_KEY', 'authorization', `Bearer ${SECRET}`, 'https://api.openai.com/v1'],
  ] as const)(
    '[RUN13] %s with %s gets a placeholder and the address of the gateway',
    async (id, name, header, value, url) => {
      const prepared = await prepare(id, { [name]: SECRET, HOME: '/x', OTHER: 'y' });
      expect(prepared).toMatchObject({
        usesLogin: false,
        loginHosts: [],
        models: [{ url, credential: { header, value } }],
      });
      expect(inside(prepared)).not.toContain(SECRET);
      expect(inside(prepared)).toContain('http://127.0.0.2:3129/');
      expect(prepared.environment).not.toHaveProperty('OTHER');
    },
  );

  it('[RUN13] a base URL in the environment of the person is where the gateway leads to', async () => {
    const { models } = await prepare('claude', {
      ANTHROPIC_API_KEY: SECRET,
      ANTHROPIC_BASE_URL: 'https://models.example/a',
    });
    expect(models[0]?.url).toBe('https://models.example/a');
  });

  it.each([
    ['codex', '.codex/auth.json', { OPENAI_API_KEY: SECRET, tokens: null }],
    [
      'opencode',
      '.local/share/opencode/auth.json',
      { anthropic: { type: 'api', key: SECRET }, other: { type: 'api', key: SECRET } },
    ],
  ] as const)('[RUN13] a key in the login file of %s stays outside, too', async (id, path, content) => {
    const prepared = await prepare(id, {}, { [path]: content });
    expect(prepared.models).toHaveLength(1);
    expect(inside(prepared)).not.toContain(SECRET);
  });

  it('[RUN11] without a key, an agent uses its login, and the card says what that means', async () => {
    const { usesLogin, loginHosts, notes } = await prepare(
      'claude',
      {},
      { '.claude/.credentials.json': { claudeAiOauth: {} } },
    );
    expect({ usesLogin, loginHosts }).toMatchObject({
      usesLogin: true,
      loginHosts: ['api.anthropic.com', ...loginHosts.slice(1)],
    });
    expect(notes.join()).toContain('could be sent to api.anthropic.com');
    expect((await prepare('gemini', {})).notes).toEqual(['Gemini CLI had no key and no login.']);
  });

  it('[RUN13] the table has every agent that runs know by name', () => {
    expect(Object.keys(AGENTS)).toEqual(runAgentSchema.options);
  });
});
