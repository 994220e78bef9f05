import {
  CountersignError,
  newAgentSchema,
  parseInput,
  refuseUnknownKeys,
  worldSettingsSchema,
} from '@countersign/protocol';
import { callable, isObject, list, method, provider, text, tool } from './check-input.js';
import type { OpenWorldOptions } from './open-world.js';

const OWN = {
  name: true,
  policy: true,
  adminRules: true,
  agents: true,
  providers: true,
  tools: true,
  sandbox: true,
  synchronous: true,
  clock: true,
  onError: true,
  probe: true,
} satisfies Partial<Record<keyof OpenWorldOptions, true>>;

/** Validates the options. `undefined` counts as not given. */
export function checkOptions(file: unknown, given: unknown): OpenWorldOptions {
  text(file, 'file');
  if (!isObject(given)) throw wrong('options', 'must be an object');
  refuseUnknownKeys(given, { ...OWN, ...worldSettingsSchema.shape }, 'openWorld');
  const options: OpenWorldOptions = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const { clock, onError, probe, synchronous } = options;
  if (clock !== undefined) {
    if (!isObject(clock)) throw wrong('clock', 'must be a clock');
    method(clock, 'now', 'clock');
    method(clock, 'after', 'clock');
  }
  if (onError !== undefined) callable(onError, 'onError');
  if (probe !== undefined) callable(probe, 'probe');
  if (synchronous !== undefined && synchronous !== 'FULL' && synchronous !== 'NORMAL') {
    throw wrong('synchronous', 'must be FULL or NORMAL');
  }
  if (options.sandbox !== undefined) text(options.sandbox, 'sandbox');
  for (const [at, rule] of list(options.adminRules, 'adminRules').entries()) text(rule, `adminRules.${at}`);
  refuseTwice(
    list(options.providers, 'providers').map((each, at) => provider(each, `providers.${at}`).name),
    'providers',
  );
  refuseTwice(
    list(options.tools, 'tools').map((each, at) => tool(each, `tools.${at}`).definition.name),
    'tools',
  );
  for (const [at, agent] of list(options.agents, 'agents').entries()) {
    parseInput(newAgentSchema, agent, `agents.${at}`);
  }
  const settings = Object.entries(options).filter(([name]) => !Object.hasOwn(OWN, name));
  parseInput(worldSettingsSchema, Object.fromEntries(settings), 'openWorld');
  return options;
}

/** Of two with the same name, the second would silently replace the first. */
function refuseTwice(names: readonly string[], field: string): void {
  const at = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (at >= 0) throw wrong(`${field}.${at}`, `there is already one named "${names[at]}"`);
}

function wrong(field: string, must: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${must}`, { field });
}
