import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { closeApps, openApp } from '../testing/app-fixture.js';
import { send } from '../testing/send.js';
import type { ApiDescription } from './describe-api.js';

afterEach(closeApps);

/** The routes of the specification, in its order. */
const contract = `
GET /health · POST /session · POST /tickets
GET POST /providers · PATCH DELETE /providers/{provider} · POST /providers/{provider}/test · GET /providers/{provider}/models
GET POST /worlds · POST /worlds/import · GET PATCH DELETE /worlds/{world} · GET /worlds/{world}/export
GET POST /worlds/{world}/agents · GET PATCH DELETE /worlds/{world}/agents/{agent} · GET /worlds/{world}/agents/{agent}/memory
GET POST /worlds/{world}/chats · GET PATCH DELETE /worlds/{world}/chats/{chat}
GET POST /worlds/{world}/chats/{chat}/messages · POST /worlds/{world}/chats/{chat}/stop
GET /worlds/{world}/chats/{chat}/turns/{turn}/timeline · GET /worlds/{world}/search
GET /worlds/{world}/chats/{chat}/events · GET /worlds/{world}/events · POST /worlds/{world}/clients
GET /worlds/{world}/approvals · GET /worlds/{world}/approvals/{approval} · POST /worlds/{world}/tool-results
GET /worlds/{world}/grants · DELETE /worlds/{world}/grants/{grant}
GET PUT /worlds/{world}/policy · POST /worlds/{world}/policy/check · POST /worlds/{world}/policy/matches · POST /worlds/{world}/policy/replay · GET /worlds/{world}/policy/suggestions · GET /worlds/{world}/policy/uses · GET /worlds/{world}/tools
GET /worlds/{world}/audit · GET /worlds/{world}/stats · GET /worlds/{world}/costs · GET /worlds/{world}/questions`;

it('[HTTP2] describes every route of the contract in OpenAPI 3.1', async () => {
  const t = await openApp();
  const { body } = await t.api<ApiDescription>('GET', '/openapi.json');
  expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api' }] });
  const told = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const wanted = contract.split(/[·\n]/).flatMap((part) => {
    const words = part.trim().split(' ');
    return words.slice(0, -1).map((method) => `${method} ${words.at(-1)}`);
  });
  expect(wanted.filter((route) => !told.includes(route))).toEqual([]);
});

it('[HTTP2] every $ref resolves, every schema parses, and names are unique', async () => {
  const t = await openApp();
  const { body, text } = await t.api<ApiDescription>('GET', '/openapi.json');
  const references = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? ''));
  expect(references.size).toBeGreaterThan(10);
  expect([...references].filter((name) => !(name in body.components.schemas))).toEqual([]);
  expect(text).not.toContain('$defs');
  const operations = Object.values(body.paths).flatMap((methods) => Object.values(methods));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
  expect(bodies.length).toBeGreaterThan(10);
  for (const { schema } of bodies) expect(() => z.fromJSONSchema(schema)).not.toThrow();
  for (const [path, methods] of Object.entries(body.paths)) {
    for (const { parameters } of Object.values(methods)) {
      const named = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => `{${name}}`);
      expect(named).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
  }
});

it('[HTTP2] has a description for every field and parameter', async () => {
  const t = await openApp();
  const { body } = await t.api<ApiDescription>('GET', '/openapi.json');
  const silent: string[] = [];
  const visit = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const fields: unknown = 'properties' in value ? value.properties : undefined;
    for (const [name, field] of Object.entries(typeof fields === 'object' && fields !== null ? fields : {})) {
      if (typeof field !== 'object' || field === null || !('description' in field)) silent.push(`${at}.${name}`);
    }
    for (const [key, inner] of Object.entries(value)) visit(inner, `${at}.${key}`);
  };
  visit(body, '');
  const operations = Object.values(body.paths).flatMap((methods) => Object.values(methods));
  const parameters = operations.flatMap((operation) => operation.parameters);
  expect(parameters.filter(({ description }) => description === undefined).map(({ name }) => name)).toEqual([]);
  expect(silent).toEqual([]);
});

it('[HTTP13] describes the payload of every event in OpenAPI', async () => {
  const t = await openApp();
  const { body } = await t.api<ApiDescription>('GET', '/openapi.json');
  const schemaAt = (path: string) =>
    body.paths[path]?.['get']?.responses['200']?.content?.['text/event-stream']?.schema;
  for (const place of ['', '/chats/{chat}'])
    expect(schemaAt(`/worlds/{world}${place}/events`)).toEqual({ $ref: '#/components/schemas/StreamedEvent' });
  expect(schemaAt('/worlds/{world}/approvals/events')).toEqual({ $ref: '#/components/schemas/ApprovalEvent' });
  const text = JSON.stringify(body.components.schemas['StreamedEvent']);
  for (const name of [
    'Message',
    'ChunkEvent',
    'ToolEvent',
    'ToolOutputEvent',
    'SystemEvent',
    'ActivityEvent',
    'CrudEvent',
  ])
    expect(text).toContain(`"#/components/schemas/${name}"`);
  expect(JSON.stringify(body.components.schemas['ToolEvent'])).toContain('"TOOL_APPROVAL_REQUESTED"');
  // `chatId` is beside the fields of an event, so a schema that allows only its own fields would match no event.
  const schemas = ['StreamedEvent', 'ApprovalEvent', 'CrudEvent'].map((name) => body.components.schemas[name]);
  expect(JSON.stringify(schemas)).not.toContain('"additionalProperties":false');
});

it('[HTTP2] has a readable docs page without scripts or external resources', async () => {
  const t = await openApp();
  const page = await send(`${t.url}/api/docs`);
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.text).toContain('/worlds/{world}/tool-results');
  expect(page.text).not.toMatch(/<script|style=|https?:\/\/|onload/i);
  expect((await send(`${t.url}/api/docs.css`)).headers['content-type']).toContain('text/css');
  expect(page.headers['content-security-policy']).toContain("default-src 'self'");
});

it('[HTTP2] describes fields with the same name by their own schemas', async () => {
  const t = await openApp();
  const { body } = await t.api<ApiDescription>('GET', '/openapi.json');
  const request = (method: string, path: string) =>
    body.paths[path]?.[method]?.requestBody?.content['application/json']?.schema['properties'];
  expect(request('post', '/worlds/{world}/external/calls')).toMatchObject({
    session: { description: "Names the program's session. Each session has its own chat." },
  });
  expect(body.paths['/session']?.['post']?.responses['200']?.content?.['application/json']?.schema).toMatchObject({
    properties: { session: { description: 'Send it as X-Countersign-Session, together with the cookie.' } },
  });
  // Every field of a change is optional, which must not cost it its description.
  expect(request('patch', '/worlds/{world}')).toMatchObject({
    turnLimit: { description: 'Maximum number of turns per agent between messages from a person.' },
  });
});
