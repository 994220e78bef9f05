import { listOf, providerStatusSchema, type ProviderStatus } from '@countersign/protocol';
import { chosenAddress, tryAddress } from '@countersign/providers';
import { findProviders } from '../find-providers.js';
import { readFrom } from './read-from.js';

/**
 * `fine`: works. `missing`: optional and not present. `warning`: should be checked, but the server can start. `broken`: nothing works until
 * someone fixes it.
 */
export interface Finding {
  what: string;
  state: 'fine' | 'missing' | 'warning' | 'broken';
  detail: string;
  advice?: string;
}

/** A running server's providers. The server may have other API keys than this shell. */
export interface AskedServer {
  readonly url: string;
  /** Undefined if the request for them failed. */
  readonly providers: readonly ProviderStatus[] | undefined;
}

export async function askServer(url: string, home: string, env: NodeJS.ProcessEnv): Promise<AskedServer> {
  try {
    const found = await readFrom(url, home, env)('providers');
    return { url, providers: listOf(providerStatusSchema).parse(found).items };
  } catch {
    return { url, providers: undefined };
  }
}

/**
 * Checks the providers of the running server, or of a server started from this shell. Contacts custom endpoints, such as `OPENAI_BASE_URL`. A
 * vendor's own API is not called, and the finding says so.
 */
export async function checkModels(
  env: NodeJS.ProcessEnv,
  server: AskedServer | undefined,
  ollamaUrl?: string,
): Promise<Finding[]> {
  const ours = await findProviders(env, ollamaUrl).status();
  const isReal = ({ id }: ProviderStatus): boolean => id !== 'scripted';
  if (server?.providers === undefined) {
    const findings = await Promise.all(ours.filter(isReal).map((found) => checkModel(found, env)));
    return [environmentOf(server), ...findings];
  }
  const findings = server.providers.filter(isReal).map(async (theirs) => {
    const mine = ours.find(({ id }) => id === theirs.id);
    const isSame = mine !== undefined && theirs.variable === mine.variable && theirs.baseUrl === mine.baseUrl;
    return isSame ? await checkModel(theirs, env) : describeTheirs(theirs);
  });
  return [environmentOf(server), ...(await Promise.all(findings))];
}

function environmentOf(server: AskedServer | undefined): Finding {
  const what = 'environment';
  if (server === undefined)
    return {
      what,
      state: 'fine',
      detail: 'API keys and URLs from this shell; countersign providers lists the saved ones',
    };
  const { url, providers } = server;
  if (providers !== undefined) return { what, state: 'fine', detail: `API keys and URLs from the server at ${url}` };
  return {
    what,
    state: 'warning',
    detail: `could not get the API keys and URLs from the server at ${url}; those of this shell may differ`,
    advice: 'Set COUNTERSIGN_TOKEN to the token of that server.',
  };
}

/** A provider that is configured differently in this shell: the server's key is unknown here, so its endpoint can't be tested. */
function describeTheirs({ id: what, available, source, variable, baseUrl, problem }: ProviderStatus): Finding {
  if (!available) {
    const detail = problem ?? 'the server found no key, although this shell has one';
    const advice =
      problem === undefined ? `${adviceFor(what)} The server reads variables when it starts.` : adviceFor(what);
    return { what, state: 'warning', detail, advice };
  }
  const at = baseUrl === undefined ? '' : `, at ${baseUrl}`;
  if (source === 'stored') return { what, state: 'fine', detail: `saved${at}; not tested` };
  return {
    what,
    state: 'fine',
    detail: `configured (${variable ?? 'no key needed'}) in the server's environment${at}; not tested`,
  };
}

async function checkModel(found: ProviderStatus, env: NodeJS.ProcessEnv): Promise<Finding> {
  const { id: what, available, variable, baseUrl, problem, models = [] } = found;
  if (!available) return { what, state: 'missing', detail: problem ?? 'no key found', advice: adviceFor(what) };
  if (what !== 'anthropic' && what !== 'openai' && what !== 'google') {
    const some = models.slice(0, 5).join(', ') || 'no model pulled yet';
    return { what, state: 'fine', detail: `running at ${baseUrl}: ${some}` };
  }
  const configured = `configured (${variable})`;
  const [chosen, tried] = [chosenAddress(what, env), await tryAddress(what, env)];
  if (chosen.kind !== 'own' || tried === undefined) {
    return { what, state: 'fine', detail: `${configured}; the key was not tested` };
  }
  if (tried.answers) {
    const detail = `${configured}, ${tried.note ?? 'answers'} at ${chosen.address} (${chosen.variable})`;
    return { what, state: 'fine', detail };
  }
  return {
    what,
    state: 'warning',
    detail: `${configured}, but ${tried.problem}`,
    advice: `Start the server at that address, or correct ${chosen.variable} and ${variable}.`,
  };
}

function adviceFor(name: string): string {
  switch (name) {
    case 'anthropic':
      return 'Run countersign providers add anthropic, or set ANTHROPIC_API_KEY.';
    case 'openai':
      return 'Run countersign providers add openai (or openai-compatible for your own endpoint), or set OPENAI_API_KEY.';
    case 'google':
      return 'Run countersign providers add google, or set GEMINI_API_KEY.';
    default:
      return 'Start it with `ollama serve` to use local models.';
  }
}
