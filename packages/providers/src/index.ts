export { anthropic } from './anthropic/anthropic.js';
export { availableProviders } from './available-providers.js';
export type { AvailableProvider } from './available-providers.js';
export { findOllama } from './find-ollama.js';
export type { Ollama } from './find-ollama.js';
export { google } from './google/google.js';
export { openai, openaiCompatible } from './openai/openai.js';
export type { CompatibleOptions } from './openai/openai.js';
export type { ProviderOptions, Thinking } from './shared/endpoint.js';
