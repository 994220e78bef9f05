import { api, problemSchema } from '@countersign/protocol';
import { z } from 'zod';
import type { Answer, Route } from './route.js';
import { PROBLEM_TYPE } from './to-problem.js';

type Json = Record<string, unknown>;

export interface Operation {
  summary: string;
  description?: string;
  operationId: string;
  tags: string[];
  security?: [];
  parameters: {
    name: string;
    in: 'path' | 'query' | 'header';
    required: boolean;
    schema: Json;
    description?: string;
  }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

/** The OpenAPI 3.1 description, built from the routes that serve the API. */
export interface ApiDescription {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Json; securitySchemes: Json };
}

export function describeApi(
  routes: readonly Route[],
  { version, server }: { version: string; server: string },
): ApiDescription {
  const schemas: Json = {};
  const paths: ApiDescription['paths'] = {};
  for (const route of routes) {
    const here = (paths[route.path] ??= {});
    here[route.method] = describe(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version,
      description:
        'Agents propose. You countersign. Lists are { items, next? }. Errors are problem documents (RFC 9457) that name the invalid field.',
    },
    servers: [{ url: server }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describe(route: Route, schemas: Json): Operation {
  const { body } = route;
  return {
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    operationId: operationId(route),
    tags: [route.tag],
    ...(route.needs === 'no-credential' ? { security: [] as [] } : {}),
    parameters: parametersOf(route, schemas),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.optional,
            content: { [`application/${body.kind}`]: { schema: toSchema(body.schema, 'input', schemas) } },
          },
        }),
    responses: responsesOf(route, schemas),
  };
}

/** Parameters in paths that are not the id of what they name. */
const PATH_TEXTS: Readonly<Record<string, string>> = {
  attachment: 'Id of the attachment: the SHA-256 of its content.',
  group: 'Name of the group.',
  name: 'Name of the MCP server.',
  turn: 'Id of the turn, or of one of its tool turns.',
};

function parametersOf(route: Route, schemas: Json): Operation['parameters'] {
  const inPath = route.params.map((name) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    description: PATH_TEXTS[name] ?? `Id of the ${name}.`,
  }));
  const query = route.query === undefined ? {} : toSchema(route.query, 'input', schemas);
  const required = new Set(Array.isArray(query['required']) ? query['required'] : []);
  const properties = Object.entries((query['properties'] ?? {}) as Record<string, Json>);
  const inQuery = properties.map(([name, { description, ...schema }]) => ({
    name,
    in: 'query' as const,
    required: required.has(name),
    schema,
    ...(typeof description === 'string' ? { description } : {}),
  }));
  const inHeader = Object.entries(route.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header' as const,
    required: false,
    schema: { type: 'string' },
    description,
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function responsesOf(route: Route, schemas: Json): Operation['responses'] {
  const responses: Operation['responses'] = {};
  for (const [status, answer] of Object.entries(route.answers)) {
    const kinds: readonly Answer[] = Array.isArray(answer) ? (answer as readonly Answer[]) : [answer as Answer];
    const content = kinds.flatMap(({ schema, type }) => {
      if (schema === undefined) return type === undefined ? [] : [[type, { schema: { type: 'string' } }] as const];
      // Events have a chat beside their own fields, which a schema of output would forbid.
      const io = type === 'text/event-stream' ? 'input' : 'output';
      return [[type ?? 'application/json', { schema: toSchema(schema, io, schemas) }] as const];
    });
    responses[status] = {
      description: kinds.map(({ description }) => description).join(' · '),
      ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
    };
  }
  responses['default'] = {
    description: 'The request failed. `detail` says why and what to do next.',
    content: { [PROBLEM_TYPE]: { schema: toSchema(problemSchema, 'output', schemas) } },
  };
  return responses;
}

/** JSON Schema for OpenAPI 3.1. Named schemas move into `components`. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const json = z.toJSONSchema(schema, {
    io,
    metadata: api,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.const !== undefined) jsonSchema.description ??= `Always ${JSON.stringify(jsonSchema.const)}.`;
    },
  });
  const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _, $defs = {}, ...rest } = JSON.parse(text) as Json & { $defs?: Json };
  Object.assign(schemas, $defs);
  return rest;
}

/** `GET /worlds/{world}/chats` → `get_worlds_world_chats`. */
function operationId({ method, path }: Route): string {
  return [method, ...path.split('/')].join(' ').replace(/\W+/g, ' ').trim().replaceAll(' ', '_');
}
