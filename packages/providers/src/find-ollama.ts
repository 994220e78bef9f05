import { isRecord } from './shared/records.js';

export interface Ollama {
  /** The base URL for `openaiCompatible`. */
  baseURL: string;
  models: string[];
}

/** A local Ollama, or undefined. Never rejects, and has a short timeout: most machines don't run one. */
export async function findOllama(options: { url?: string; timeoutMs?: number } = {}): Promise<Ollama | undefined> {
  const { url = 'http://127.0.0.1:11434', timeoutMs = 500 } = options;
  try {
    const response = await fetch(`${url}/api/tags`, { signal: AbortSignal.timeout(timeoutMs) });
    const body: unknown = response.ok ? await response.json() : undefined;
    if (!isRecord(body) || !Array.isArray(body['models'])) return undefined;
    const models = body['models'].flatMap((model: unknown) =>
      isRecord(model) && typeof model['name'] === 'string' ? [model['name']] : [],
    );
    return { baseURL: `${url}/v1`, models };
  } catch {
    return undefined;
  }
}
