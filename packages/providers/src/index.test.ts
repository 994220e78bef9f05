import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as providers from './index.js';

describe('the package of providers', () => {
  it('[MODEL2] exports these providers', () => {
    expect(Object.keys(providers).sort()).toEqual([
      'anthropic',
      'availableProviders',
      'chosenAddress',
      'explainFailure',
      'findOllama',
      'fullBaseUrl',
      'google',
      'listModels',
      'makeProvider',
      'openai',
      'openaiCompatible',
      'startScriptedModel',
      'testProvider',
      'tryAddress',
    ]);
  });

  it('[MODEL2] each provider has a name, which an option can change', () => {
    const { anthropic, google, openai, openaiCompatible } = providers;
    expect([openai(), anthropic(), google()].map(({ name }) => name)).toEqual(['openai', 'anthropic', 'google']);
    expect(openai({ name: 'azure' }).name).toBe('azure');
    expect(openaiCompatible({ name: 'ollama', baseURL: 'http://127.0.0.1:11434/v1' }).name).toBe('ollama');
  });

  it('loads SDKs lazily: together they add half a second to every start', () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    );
    const eager = /^(?:import|export) (?!type\b).*from '(?:openai|@anthropic-ai\/sdk|@google\/genai)/m;
    expect(sources.filter((file) => eager.test(readFileSync(`${folder}/${file}`, 'utf8')))).toEqual([]);
    expect(sources.length).toBeGreaterThan(10);
  });
});
