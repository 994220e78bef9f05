export { anthropic } from './anthropic/anthropic.js';
export { availableProviders } from './available-providers.js';
export type { AvailableProvider } from './available-providers.js';
export { chosenAddress } from './chosen-address.js';
export { listModels } from './configured/list-models.js';
export type { Listed } from './configured/list-models.js';
export { makeProvider } from './configured/make-provider.js';
export { fullBaseUrl } from './configured/provider-config.js';
export type { ProviderConfig } from './configured/provider-config.js';
export { explainFailure, testProvider } from './configured/test-provider.js';
export { findOllama } from './find-ollama.js';
export type { Ollama } from './find-ollama.js';
export { google } from './google/google.js';
export { openai, openaiCompatible } from './openai/openai.js';
export type { CompatibleOptions } from './openai/openai.js';
export { startScriptedModel } from './scripted-model/start-scripted-model.js';
export type {
  ModelScript,
  ReplyConditions,
  ReplyFunction,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedModelReply,
  ScriptedModelRequest,
  ServedRequest,
} from './scripted-model/types.js';
export { tryAddress } from './try-address.js';
export type { ProviderOptions } from './shared/endpoint.js';
