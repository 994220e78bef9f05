import { agentMayAskFor, compileRules } from '@countersign/core';
import type { Tool } from '@countersign/core/ports';
import {
  CountersignError,
  nearest,
  newAgentSchema,
  newMcpServerSchema,
  parseInput,
  refuseUnknownKeys,
  slug,
  worldSettingsSchema,
} from '@countersign/protocol';
import { givenSecretsKey } from '@countersign/server/secrets';
import { callable, isObject, list, method, provider, text, tool } from './check-input.js';
import type { CountersignOptions, OpenWorldOptions, SharedOptions, WorldOptions } from './options.js';

const SHARED = {
  providers: true,
  tools: true,
  approve: true,
  approveTimeoutMs: true,
  adminRules: true,
  sandbox: true,
  secretsKey: true,
  synchronous: true,
  clock: true,
  onError: true,
  probe: true,
} satisfies Record<keyof SharedOptions, true>;

const STORE = { ...SHARED, store: true, worlds: true, policy: true, mcp: true } satisfies Record<
  keyof CountersignOptions,
  true
>;

/** World options that are not settings. */
const LISTS = { policy: true, agents: true, mcp: true } satisfies Partial<Record<keyof WorldOptions, true>>;
const WORLD = { ...LISTS, ...worldSettingsSchema.shape };

/** Validates and splits the options of `openWorld`. `undefined` is treated as not given. */
export function checkOptions<T extends Tool>(
  file: unknown,
  given: unknown,
): { name?: string; shared: SharedOptions<T>; world: WorldOptions } {
  if (isPostgres(text(file, 'file'))) {
    throw wrong('file', 'must be a SQLite file. For PostgreSQL, use openCountersign({ store })');
  }
  const { name, ...options }: OpenWorldOptions<T> = givenIn(
    given,
    'openWorld',
    { name: true, ...SHARED, ...WORLD },
    'options',
  );
  const entries = Object.entries(options);
  const shared: SharedOptions<T> = Object.fromEntries(entries.filter(([key]) => Object.hasOwn(SHARED, key)));
  const world: WorldOptions = Object.fromEntries(entries.filter(([key]) => !Object.hasOwn(SHARED, key)));
  checkWorld(world, 'openWorld', '', checkShared(shared));
  return { ...(name === undefined ? {} : { name }), shared, world };
}

/** Validates the options of `openCountersign`. */
export function checkStoreOptions<T extends Tool>(given: unknown): CountersignOptions<T> {
  const options: CountersignOptions<T> = givenIn(given, 'openCountersign', STORE, 'options');
  checkStore(options.store);
  const tools = checkShared(options);
  checkWorld(onlyLists(options), 'openCountersign', '', tools);
  const worlds = list(options.worlds, 'worlds').map((world, at) => {
    const field = `worlds.${at}`;
    const { name, ...rest }: WorldOptions & { name: string } = givenIn(
      world,
      'openCountersign',
      { name: true, ...WORLD },
      field,
    );
    checkWorld(rest, `openCountersign: ${field}`, `${field}.`, tools);
    return { name: text(name, `${field}.name`), ...rest };
  });
  refuseTwice(
    worlds.map(({ name }) => name),
    'worlds',
  );
  return { ...options, worlds };
}

/** Validates the options of `Countersign.world`. */
export function checkWorldOptions(given: unknown, hasMcp: boolean, tools: readonly Tool[] = []): WorldOptions {
  const options: WorldOptions = givenIn(given, 'world', WORLD, 'options');
  checkWorld(
    options,
    'world',
    '',
    tools.map(({ definition }) => definition.name),
  );
  if (options.mcp !== undefined && !hasMcp) {
    throw wrong('mcp', 'this store runs no MCP servers. Open it with openCountersign({ mcp: [] })');
  }
  return options;
}

export function isPostgres(store: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(store);
}

/** Errors never quote the value: a URL contains a password. */
function checkStore(store: unknown): void {
  if (isObject(store)) {
    for (const name of ['transact', 'step', 'read', 'verifyAudit', 'close']) method(store, name, 'store');
  } else if (typeof store !== 'string' || store === '' || (/^\w+:\/\//.test(store) && !isPostgres(store))) {
    throw wrong('store', 'must be a file, ":memory:", a URL that begins with postgres://, or a store');
  }
}

function givenIn<T>(given: unknown, what: string, known: Readonly<Record<string, unknown>>, field: string): T {
  if (!isObject(given)) throw wrong(field, 'must be an object');
  refuseUnknownKeys(given, known, what);
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}

function onlyLists<T extends Tool>({ policy, mcp }: CountersignOptions<T>): WorldOptions {
  return { ...(policy === undefined ? {} : { policy }), ...(mcp === undefined ? {} : { mcp }) };
}

/** Returns the names of the tools. */
function checkShared<T extends Tool>(options: SharedOptions<T>): string[] {
  const { approve, approveTimeoutMs, clock, onError, probe, synchronous } = options;
  if (clock !== undefined) {
    if (!isObject(clock)) throw wrong('clock', 'must be a clock');
    method(clock, 'now', 'clock');
    method(clock, 'after', 'clock');
  }
  if (approve !== undefined) callable(approve, 'approve');
  if (approveTimeoutMs !== undefined && (!Number.isInteger(approveTimeoutMs) || approveTimeoutMs < 1)) {
    throw wrong('approveTimeoutMs', 'must be a whole number of milliseconds above 0');
  }
  if (onError !== undefined) callable(onError, 'onError');
  if (probe !== undefined) callable(probe, 'probe');
  if (synchronous !== undefined && synchronous !== 'FULL' && synchronous !== 'NORMAL') {
    throw wrong('synchronous', 'must be FULL or NORMAL');
  }
  if (options.sandbox !== undefined) text(options.sandbox, 'sandbox');
  if (options.secretsKey !== undefined) givenSecretsKey(text(options.secretsKey, 'secretsKey'), 'secretsKey');
  checkRules(options.adminRules, 'adminRules');
  refuseTwice(
    list(options.providers, 'providers').map((each, at) => provider(each, `providers.${at}`).name),
    'providers',
  );
  const given: readonly Tool[] = list(options.tools, 'tools');
  const tools = given.map((each, at) => tool(each, `tools.${at}`).definition.name);
  refuseTwice(tools, 'tools');
  return tools;
}

function checkWorld(options: WorldOptions, what: string, prefix: string, tools: readonly string[]): void {
  const agents = list(options.agents, `${prefix}agents`).map((agent, at) => {
    const field = `${prefix}agents.${at}`;
    const parsed = parseInput(newAgentSchema, agent, field);
    checkRules(parsed.policy, `${field}.policy`);
    for (const [entry, name] of (parsed.tools ?? []).entries()) checkListed(name, tools, `${field}.tools.${entry}`);
    return parsed;
  });
  // Agents are addressed by these names, in any case.
  refuseTwice(
    agents.map(({ name }) => slug(name, 'agent')),
    `${prefix}agents`,
  );
  checkRules(options.policy, `${prefix}policy`);
  for (const [at, server] of list(options.mcp, `${prefix}mcp`).entries()) {
    parseInput(newMcpServerSchema, server, `${prefix}mcp.${at}`);
  }
  const settings = Object.entries(options).filter(([name]) => !Object.hasOwn(LISTS, name));
  parseInput(worldSettingsSchema, Object.fromEntries(settings), what);
}

function checkRules(rules: readonly string[] | undefined, field: string): void {
  const texts = list(rules, field).map((rule, at) => text(rule, `${field}.${at}`));
  compileRules(texts, { field, of: field });
}

/** Rejects an entry of an agent's list that matches none of the program's tools. Tools with `__` come from MCP servers and clients, later. */
function checkListed(entry: string, tools: readonly string[], field: string): void {
  const [start = ''] = entry.split('*');
  if (entry.includes('__') || (entry.includes('*') && 'mcp__'.startsWith(start))) return;
  if (tools.some((name) => agentMayAskFor([entry], name))) return;
  const near = nearest(entry, tools);
  const advice = near === undefined ? 'Add the tool to `tools`' : `Did you mean "${near}"?`;
  throw wrong(field, `no tool matches "${entry}". ${advice}`);
}

/** Rejects duplicate names: the second would silently replace the first. */
function refuseTwice(names: readonly string[], field: string): void {
  const at = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (at >= 0) throw wrong(`${field}.${at}`, `there is already one named "${names[at]}"`);
}

function wrong(field: string, must: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${must}`, { field });
}
