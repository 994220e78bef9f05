import { expect, it } from 'vitest';
import { findProviders } from './find-providers.js';

it('[TURN14.1] masks a key in tool results, but not a placeholder key', () => {
  const key = 'sk-proj-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
  const { secrets } = findProviders({ OPENAI_API_KEY: 'ollama', ANTHROPIC_API_KEY: ` ${key}\n` });
  expect(secrets).toEqual([key]);
});

it('[MODEL2] reports the base URL of a provider if the environment sets one, without credentials in it', async () => {
  const status = async (env: Record<string, string>) =>
    (await findProviders({ OPENAI_API_KEY: 'none', ...env }, 'http://127.0.0.1:9').status()).find(
      ({ id }) => id === 'openai',
    );
  const openai = { id: 'openai', kind: 'openai', name: 'openai', source: 'environment', variable: 'OPENAI_API_KEY' };
  expect(await status({})).not.toHaveProperty('baseUrl');
  expect(await status({ OPENAI_BASE_URL: ' http://127.0.0.1:8000/v1?token=secret ' })).toEqual({
    ...openai,
    hasKey: true,
    available: true,
    baseUrl: 'http://127.0.0.1:8000/v1',
  });
  for (const bad of ['127.0.0.1:8000', 'ftp://127.0.0.1', 'http://me:secret@127.0.0.1'])
    expect(await status({ OPENAI_BASE_URL: bad })).toEqual({
      ...openai,
      hasKey: true,
      available: false,
      problem: expect.stringMatching(/^OPENAI_BASE_URL is not usable: (?!.*secret)/) as string,
      models: ['gpt-5.6-terra'],
    });
});
