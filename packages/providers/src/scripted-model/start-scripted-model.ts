import type { ScriptedModel, ScriptedModelOptions } from './types.js';

/**
 * Starts a server that implements the APIs of Anthropic, OpenAI and Gemini and answers from a script, for tests of programs that use a model.
 * If the script is invalid, rejects with an error that names the field.
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  // Loaded on first use: it needs node:http and its own schemas, and importing the library must stay fast.
  const { serveScript } = await import('./serve-script.js');
  return await serveScript(options);
}
