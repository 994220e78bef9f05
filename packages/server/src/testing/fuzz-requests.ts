import type { ApiDescription, Operation } from '../app/describe-api.js';

type Json = Record<string, unknown>;

/** Seeded random numbers. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const upTo = (most: number): number => Math.floor(next() * most);
  return {
    upTo,
    chance: (probability) => next() < probability,
    pick<T>(from: readonly T[]): T {
      const picked = from[upTo(from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
}

export interface Dice {
  upTo(most: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Unusual values that people, programs and attackers send. */
const STRANGE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  'x',
  '\0',
  '\ud800',
  '\udfff\ud800',
  '\u202eevil',
  '\u0001\u001b[31m',
  '🌻'.repeat(40),
  'x'.repeat(5_000),
  "'; drop table messages; --",
  '" OR 1=1',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '$(reboot)',
  '{{x}}',
  '<script>alert(1)</script>',
  '@human',
  '‹masked 1›',
  [],
  [[]],
  {},
  { __proto__: 1 },
  { toString: 1 },
  JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`),
  Array.from({ length: 200 }, (_, i) => i),
];

/** Valid names, rules, tools and options. */
const FITTING = [
  'Ada',
  'Bob',
  'Harbour',
  'scripted',
  'any',
  'remove',
  '*',
  'allow remove',
  'deny remove',
  'hello',
  '@ada hi',
];

/** Fields that contain an id, and the kinds of objects it can refer to. */
const OF: Readonly<Record<string, readonly string[]>> = {
  tool_call_id: ['approval', 'call'],
  agentId: ['agent'],
  agent: ['external'],
  mainAgent: ['agent'],
  chatId: ['chat'],
  fromMessageId: ['message'],
  turnId: ['turn'],
};

export interface FuzzRequest {
  operation: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Generates valid, nearly valid and invalid requests from the API description. `ids` are ids that exist. Picks one of the wanted operations, or
 * any if none is given.
 */
export function createFuzzer(
  api: ApiDescription,
  dice: Dice,
  ids: Readonly<Record<string, readonly string[]>>,
): (wanted?: readonly string[]) => FuzzRequest {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      // Deletes are less frequent: they remove data that later requests need.
      const times = method === 'delete' ? 1 : 4;
      return Array.from({ length: times }, () => ({ path, method, operation }));
    }),
  );
  const words = (): string[] => Object.values(ids).flat();

  function strange(): unknown {
    return dice.pick(STRANGE);
  }

  /** A value for a schema. Each part may be replaced with an unusual one. */
  function value(schema: Json, spoil: number, depth = 0): unknown {
    if (dice.chance(spoil)) return strange();
    const { $ref, anyOf, oneOf, enum: choices, const: only, type, properties, items, required } = schema;
    if (typeof $ref === 'string') return value(resolve($ref), spoil, depth);
    if (only !== undefined) return only;
    if (Array.isArray(choices)) return dice.pick(choices as unknown[]);
    const options = (anyOf ?? oneOf) as Json[] | undefined;
    if (options !== undefined) return value(dice.pick(options), spoil, depth);
    switch (type) {
      case 'object': {
        const must = new Set(Array.isArray(required) ? required : []);
        const optional = dice.pick([0, 0.2, 0.6]);
        const made = Object.entries((properties ?? {}) as Record<string, Json>)
          .filter(([name]) => must.has(name) || dice.chance(optional))
          .filter(() => !dice.chance(spoil / 2))
          .map(([name, part]) => [name, named(name) ?? value(part, spoil, depth + 1)]);
        if (dice.chance(spoil)) made.push([dice.pick(['extra', '__proto__', 'constructor', '\0']), strange()]);
        return Object.fromEntries(made);
      }
      case 'array': {
        const length = depth > 3 ? 0 : dice.upTo(3);
        return Array.from({ length }, () => value((items ?? {}) as Json, spoil, depth + 1));
      }
      case 'integer':
        return dice.upTo(20);
      case 'number':
        return dice.upTo(20) / 10;
      case 'boolean':
        return dice.chance(0.5);
      case 'string':
        return dice.chance(0.5) ? dice.pick(FITTING) : dice.pick(words());
      default:
        return strange();
    }
  }

  /** Some fields are only valid with an existing id. */
  function named(name: string): string | undefined {
    const kinds = OF[name];
    if (kinds === undefined || dice.chance(0.1)) return undefined;
    const known = kinds.flatMap((kind) => ids[kind] ?? []);
    return known.length === 0 ? undefined : dice.pick(known);
  }

  function resolve(reference: string): Json {
    return (api.components.schemas[reference.split('/').at(-1) ?? ''] ?? {}) as Json;
  }

  function text(of: unknown): string {
    return typeof of === 'string' ? of : JSON.stringify(of);
  }

  function encode(part: string): string {
    if (dice.chance(0.01)) return dice.pick(['%', '%ff', '%00', '%c3%28', '%ed%a0%80']);
    return encodeURIComponent(part.replace(/\p{Surrogate}/gu, ''));
  }

  function address(path: string, operation: Operation): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const known = ids[name] ?? [];
      return encode(known.length > 0 && dice.chance(0.85) ? dice.pick(known) : text(strange()).slice(0, 300));
    });
    const query = operation.parameters
      .filter(({ in: place, required }) => place === 'query' && (required || dice.chance(0.3)))
      .map(({ name, schema }) => `${name}=${encode(text(value(schema, 0.2)))}`);
    if (dice.chance(0.02)) query.push(`${encode(text(strange()))}=${encode(text(strange()))}`);
    return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
  }

  function body(operation: Operation): Pick<FuzzRequest, 'body' | 'headers'> {
    const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(operation.requestBody?.content ?? {});
    if (type === '') return { body: undefined, headers: {} };
    const made = value(schema, dice.pick([0, 0, 0.05, 0.15, 0.5]));
    // JSON is valid YAML.
    const written = JSON.stringify(made) ?? 'null';
    const headers = { 'content-type': dice.chance(0.03) ? text(strange()).replace(/[^\x20-\x7e]/g, '') : type };
    if (dice.chance(0.03)) return { body: written.slice(0, dice.upTo(written.length + 1)), headers };
    if (dice.chance(0.03)) {
      const bytes = new TextEncoder().encode(written);
      if (bytes.length > 0) bytes[dice.upTo(bytes.length)] = dice.upTo(256);
      return { body: bytes, headers };
    }
    return { body: written, headers };
  }

  return (wanted = []) => {
    const chosen = operations.filter(({ operation: { operationId } }) => wanted.includes(operationId));
    const { path, method, operation } = dice.pick(chosen.length === 0 ? operations : chosen);
    const spoiltMethod = dice.chance(0.02) ? dice.pick(['PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'GET']) : method;
    const sent = body(operation);
    const headers: Record<string, string> = { ...sent.headers };
    for (const { name, in: place } of operation.parameters) {
      if (place !== 'header' || name === 'Accept' || !dice.chance(0.1)) continue;
      headers[name] = text(strange())
        .replace(/[^\x20-\x7e]/g, '')
        .trim()
        .slice(0, 500);
    }
    if (dice.chance(0.05)) headers['if-match'] = dice.pick(['*', '"x"', 'x', '']);
    const upper = spoiltMethod.toUpperCase();
    return {
      operation: operation.operationId,
      method: upper,
      path: address(path, operation),
      headers,
      body: upper === 'GET' ? undefined : sent.body,
    };
  };
}
