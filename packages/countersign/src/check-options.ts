import { CountersignError } from '@countersign/protocol';
import { callable, isObject, list, method, provider, text, tool } from './check-input.js';
import type { OpenWorldOptions } from './open-world.js';

/** The options that were said, each of its kind. `undefined` is not said: a program passes on what it may not have. */
export function checkOptions(file: unknown, given: unknown): OpenWorldOptions {
  text(file, 'file');
  if (!isObject(given)) throw wrong('options', 'must be an object');
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
    if (!isObject(agent)) throw wrong(`agents.${at}`, 'must be an agent');
  }
  return options;
}

/** Of two under one name only the second would be there, and nobody would know. */
function refuseTwice(names: readonly string[], field: string): void {
  const at = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (at >= 0) throw wrong(`${field}.${at}`, `there is already one named "${names[at]}"`);
}

function wrong(field: string, must: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${must}`, { field });
}
