import type { WireName } from './wire.js';

const CREATED = 1_750_000_000;

/** The model list in the vendor's format. */
export function listModels(wire: WireName, names: readonly string[]): unknown {
  const items = names.map((name) => describeModel(wire, name));
  switch (wire) {
    case 'anthropic':
      return { data: items, has_more: false, first_id: names[0] ?? null, last_id: names.at(-1) ?? null };
    case 'google':
      return { models: items };
    case 'openai-chat':
    case 'openai-responses':
      return { object: 'list', data: items };
  }
}

export function describeModel(wire: WireName, name: string): unknown {
  switch (wire) {
    case 'anthropic':
      return { type: 'model', id: name, display_name: name, created_at: new Date(CREATED * 1000).toISOString() };
    case 'google':
      return {
        name: `models/${name}`,
        version: '1',
        displayName: name,
        description: 'A scripted model.',
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      };
    case 'openai-chat':
    case 'openai-responses':
      return { id: name, object: 'model', created: CREATED, owned_by: 'script' };
  }
}
