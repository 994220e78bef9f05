import { ProviderError, type Provider } from '@countersign/core/ports';
import { providerKindFacts } from '@countersign/protocol';
import { anthropic } from '../anthropic/anthropic.js';
import { google } from '../google/google.js';
import { compatibleWith } from '../openai/openai.js';
import type { ProviderConfig } from './provider-config.js';

/** A provider that uses only this key and URL, and nothing from the environment. */
export function makeProvider({ id, kind, baseUrl, apiKey }: ProviderConfig): Provider {
  const { wire, key } = providerKindFacts(kind);
  // Otherwise the adapters would send a key from the environment.
  if (apiKey === undefined && key === 'required') return withoutKey(id);
  const options = { name: id, baseURL: baseUrl, ...(apiKey === undefined ? {} : { apiKey }) };
  switch (wire) {
    case 'anthropic':
      return anthropic(options);
    case 'google':
      return google(options);
    case 'openai':
      if (kind === 'openai') return compatibleWith(options, { dialect: 'openai' });
      if (kind === 'azure') return compatibleWith(options, { dialect: 'openai', keyHeader: 'api-key' });
      return compatibleWith(options, kind === 'mistral' || kind === 'openrouter' ? { dialect: kind } : {});
  }
}

function withoutKey(name: string): Provider {
  const missing = 'Enter its key on the Providers page, or run: countersign providers edit';
  return { name, generate: () => Promise.reject(new ProviderError('no-key', `${missing} ${name}`)) };
}
