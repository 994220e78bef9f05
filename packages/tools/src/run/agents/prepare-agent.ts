import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunAgent as RunAgentId } from '@countersign/protocol';
import type { ModelRoute, Vendor } from '../model/types.js';
import { insideUrl, PLACEHOLDER, VENDOR_ADDRESSES } from '../model/vendors.js';
import { AGENTS } from './agents.js';
import { isObject } from './login-files.js';
import type { JsonObject, KeyVariable, PreparedAgent, RunAgent } from './types.js';

export interface AgentPlace {
  /** The person's environment and home folder. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The working folder. */
  readonly folder: string;
  /** `--allow-fetch`. */
  readonly allowsFetch?: boolean;
}

/** Finds the key or the login with which an agent runs, and what to start it with (RUN13). */
export async function prepareAgent(
  id: RunAgentId,
  { variables, home, folder, allowsFetch = false }: AgentPlace,
): Promise<PreparedAgent> {
  const agent = AGENTS[id];
  const content = (await readJson(join(home, agent.login.path))) ?? {};
  const keys = keysFor(agent, variables, content);
  const models = keys.map(({ vendor, header, value }) => ({
    vendor,
    url: baseUrl(vendor, variables),
    credential: { header, value: header === 'authorization' ? `Bearer ${value}` : value },
    allowsFetch,
  }));
  const hasLogin = agent.login.loginIn(content) !== undefined;
  const scene = { folder, models: Object.fromEntries(models.map(({ vendor }) => [vendor, insideUrl(vendor)])) };
  const passed = agent.passes.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    id,
    agent,
    arguments: agent.arguments,
    environment: {
      ...Object.fromEntries(passed),
      ...Object.fromEntries(keys.map(({ name }) => [name, PLACEHOLDER])),
      ...agent.environment(scene),
    },
    files: agent.files(scene),
    models,
    usesLogin: models.length === 0,
    loginHosts: models.length === 0 ? agent.loginHosts : [],
    notes: notesFor(agent, { models, hasLogin, allowsFetch }),
  };
}

interface Key extends KeyVariable {
  readonly value: string;
}

/** One key per vendor: that of the first variable that is set, or else the one in the login file. */
function keysFor(agent: RunAgent, variables: AgentPlace['variables'], content: JsonObject): Key[] {
  const inFile = agent.login.keysIn(content);
  const vendors = new Set(agent.keys.map(({ vendor }) => vendor));
  return [...vendors].flatMap((vendor) => {
    const own = agent.keys.filter((key) => key.vendor === vendor);
    const [first] = own;
    const set = own.find(({ name }) => (variables[name] ?? '') !== '');
    const value = set === undefined ? inFile[vendor] : variables[set.name];
    const key = set ?? first;
    return value === undefined || key === undefined ? [] : [{ ...key, value }];
  });
}

function baseUrl(vendor: Vendor, variables: AgentPlace['variables']): string {
  const { url, variables: names } = VENDOR_ADDRESSES[vendor];
  return names.map((name) => variables[name]).find((value) => value !== undefined && value !== '') ?? url;
}

function notesFor(
  { name, loginHosts }: RunAgent,
  { models, hasLogin, allowsFetch }: { models: readonly ModelRoute[]; hasLogin: boolean; allowsFetch: boolean },
): string[] {
  const fetches = allowsFetch && models.length > 0;
  return [
    ...(models.length === 0 && hasLogin
      ? [
          `${name} used its login. Anything in the folder could be sent to ${loginHosts.join(', ')} under any account, and through them to any other host.`,
        ]
      : []),
    ...(models.length === 0 && !hasLogin ? [`${name} had no key and no login.`] : []),
    ...(fetches ? ['The vendor of the model was allowed to fetch addresses (--allow-fetch).'] : []),
  ];
}

async function readJson(path: string): Promise<JsonObject | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isObject(content) ? content : undefined;
  } catch {
    return undefined;
  }
}
