import { type AvailableProvider, availableProviders } from './available-providers.js';
import { chosenAddress } from './chosen-address.js';
import { keyHeaders } from './configured/key-headers.js';
import { splitQuery } from './shared/endpoint.js';
import { patientFetch } from './shared/patient-fetch.js';
import { readFailure } from './shared/read-failure.js';
import { redact } from './shared/redact.js';

/** The result of requesting a server's list of models. */
type Tried = { answers: true; note?: string } | { answers: false; problem: string };

const MODELS_PATH: Readonly<Record<AvailableProvider['name'], string>> = {
  openai: '/models',
  anthropic: '/v1/models',
  google: '/v1beta/models',
};

/**
 * Requests the list of models from a provider's custom base URL. Never follows redirects, which would leak the key. Undefined if there is no
 * custom URL or key. Never rejects.
 */
export async function tryAddress(
  name: AvailableProvider['name'],
  env: Readonly<Record<string, string | undefined>>,
  timeoutMs = 3_000,
): Promise<Tried | undefined> {
  const chosen = chosenAddress(name, env);
  const found = availableProviders(env).find((provider) => provider.name === name);
  if (chosen.kind !== 'own' || found === undefined) return undefined;
  const key = env[found.variable]?.trim() ?? '';
  const url = modelsUrl(env[chosen.variable]?.trim() ?? '', MODELS_PATH[name]);
  try {
    const response = await patientFetch(timeoutMs)(url, {
      headers: keyHeaders(found.name, key),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return judge(response.status, chosen.address, found.variable);
  } catch (error) {
    const why = redact(sayFailure(error, timeoutMs), [key]);
    return { answers: false, problem: `no response from ${chosen.address}: ${why}` };
  }
}

function modelsUrl(base: string, path: string): string {
  const { baseURL, query } = splitQuery(base);
  const url = new URL(`${baseURL.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function judge(status: number, address: string, variable: string): Tried {
  if (status === 401 || status === 403) {
    return { answers: false, problem: `${address} rejected the key in ${variable} (${status})` };
  }
  if (status >= 500) return { answers: false, problem: `${address} returned an error (${status})` };
  // Not every compatible server lists its models.
  if (status >= 400) return { answers: true, note: `did not return a list of models (${status}; check the path)` };
  return { answers: true };
}

function sayFailure(error: unknown, timeoutMs: number): string {
  const { trail, message } = readFailure(error);
  const has = (pattern: RegExp): boolean => trail.some((words) => pattern.test(words));
  if (has(/ECONNREFUSED/)) return 'connection refused';
  if (has(/ENOTFOUND|EAI_AGAIN/)) return 'host not found';
  if (has(/time(?:d )?out|TimeoutError|ETIMEDOUT/i)) return `no answer within ${timeoutMs / 1000} seconds`;
  return message.replaceAll(/\s+/g, ' ').trim();
}
