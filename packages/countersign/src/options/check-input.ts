import {
  approvalFilterSchema,
  CountersignError,
  pageSchema,
  parseInput,
  refuseUnknownKeys,
  toolDefinitionSchema,
  type ApprovalFilter,
  type Page,
  type WorldEventName,
} from '@countersign/protocol';
import { patternProblem } from '@countersign/core';
import type { Provider, Tool } from '@countersign/core/ports';

/** For JavaScript callers: reports an invalid argument by name instead of failing later. */
function refuse(field: string, must: string): never {
  throw new CountersignError('invalid', `${field}: ${must}`, { field });
}

export function text(value: unknown, field: string): string {
  return typeof value === 'string' ? value : refuse(field, 'must be text');
}

export function page(value: unknown): Page {
  return value === undefined ? {} : parseInput(pageSchema, value, 'page');
}

/** Rejects an unknown status, which would return an empty list. */
export function approvalFilter(value: unknown): ApprovalFilter | undefined {
  return value === undefined ? undefined : parseInput(approvalFilterSchema, value, 'filter');
}

export function callable<F>(value: F, field: string): F {
  return typeof value === 'function' ? value : refuse(field, 'must be a function');
}

export function method(of: object, name: string, field: string): void {
  const found: unknown = Reflect.get(of, name);
  callable(found, `${field}.${name}`);
}

const EVENTS: Record<WorldEventName, true> = {
  message: true,
  sse: true,
  tool: true,
  'tool-output': true,
  system: true,
  world: true,
  crud: true,
};

/** Rejects a misspelled event, whose listener would never be called. */
export function eventName<E extends WorldEventName>(value: E): E {
  return typeof value === 'string' && Object.hasOwn(EVENTS, value)
    ? value
    : refuse('event', `must be one of ${Object.keys(EVENTS).join(', ')}`);
}

export function list<T>(value: readonly T[] | undefined, field: string): readonly T[] {
  if (value === undefined) return [];
  const isList: boolean = Array.isArray(value);
  return isList ? value : refuse(field, 'must be a list');
}

const TOOL_KEYS: Record<keyof Tool, true> = {
  definition: true,
  trusted: true,
  pin: true,
  sandbox: true,
  unconfined: true,
  external: true,
  byServer: true,
  asks: true,
  standsFor: true,
  predictedBy: true,
  predictChange: true,
  validate: true,
  subjects: true,
  inspect: true,
  contained: true,
  fingerprint: true,
  hold: true,
  preview: true,
  rehearsals: true,
  draft: true,
  batches: true,
  undos: true,
  question: true,
  execute: true,
};

/** Checks a tool that was not created by `defineTool`, which would have validated it. */
export function tool(value: Tool, field: string): Tool {
  if (!isObject(value) || !isObject(value.definition)) return refuse(field, 'must be a tool; make one with defineTool');
  parseInput(toolDefinitionSchema, value.definition, `${field}.definition`);
  const { pattern } = value.definition.approval ?? {};
  const problem = pattern === undefined ? undefined : patternProblem(pattern);
  // Otherwise it would match no call, and nobody would know why all of them need approval.
  if (problem !== undefined) return refuse(`${field}.definition.approval.pattern`, problem);
  // Instances of classes may have other members.
  if (Object.getPrototypeOf(value) === Object.prototype) refuseUnknownKeys(value, TOOL_KEYS, field);
  method(value, 'validate', field);
  method(value, 'execute', field);
  return value;
}

export function provider(value: Provider, field: string): Provider {
  if (!isObject(value)) return refuse(field, 'is not a provider');
  text(value.name, `${field}.name`);
  method(value, 'generate', field);
  return value;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
