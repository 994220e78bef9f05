import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { problemTexts } from '../../packages/server/src/app/problem-texts.js';
import { pageOf } from '../../packages/server/src/testing/sign-in.js';
import type { Actor, Matrix } from './actors.js';

/** What a request can refer to. */
interface Given extends Matrix {
  readonly actor: Actor;
  /** A number that no other request has. */
  readonly n: number;
}

/**
 * One request, and the actions that it needs (docs/spec/authority.md). A sender who may do all of them gets `allowed`, by default 2xx. Any other status
 * must come after all checks of authority; a 404 is about the thing in the path, never about the world. If nothing is needed, any status counts
 * that isn't a refusal. `{world}` is `alpha`, `{me}` the sender, and
 * a name without a value is that of nothing.
 */
export interface Row {
  /** As the server lists it, such as `GET /worlds/{world}`. */
  readonly route: string;
  /** Tells several requests to one route apart. */
  readonly what?: string;
  readonly needs: string;
  readonly in?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowed?: number;
  /** Another status of a refusal than 403, such as 404 for a thing that nobody else may know of. */
  readonly refused?: number;
  /** The parts that depend on the sender. Changes nothing. */
  readonly make?: (given: Given) => Promise<Parts> | Parts;
  /** Adds something that the request changes or removes. Those who are refused all try the same one. */
  readonly prepare?: (matrix: Matrix, n: number) => Promise<Parts>;
}

export type Parts = Pick<Row, 'in' | 'query' | 'body' | 'headers'>;

const VERA = { person: 'vera' };
const OTTO = { person: 'otto' };
const ME = { person: '{me}' };
const STALE = { 'If-Match': '"stale"' };
const GONE = 404;
/** A folder that exists. */
const FOLDER = realpathSync(tmpdir());
const passkey = {
  trusted: true,
  confirmation: { challenge: 'none', credentialId: 'AA', clientData: 'AA', authenticatorData: 'AA', signature: 'AA' },
};
const atPage = ({ t }: Given) => ({ headers: { Origin: pageOf(t) } });
const unique =
  (body: object) =>
  ({ n }: Given) => ({ body: { name: `New ${n}`, ...body } });
const newPerson =
  (role: string) =>
  async ({ t }: Matrix, n: number) => {
    const { id } = (await t.api<{ id: string }>('POST', '/people', { name: `Leaving ${n}`, role })).body;
    return { in: { person: id } };
  };
const token = (...scopes: string[]) => ({ name: 'new', scopes });
const agentOf = ({ agent = 'claude' }: Actor): string => agent;
const externalCall = { session: 's', program: 'claude', tool: 'Bash', arguments: { command: 'ls' } };
const decide =
  (more: object) =>
  ({ approval }: Given) => ({
    body: { tool_call_id: approval, decision: 'approve', callHash: 'another', ...more },
  });
const rules =
  (...lines: string[]) =>
  async ({ t }: Given) => {
    const { headers } = await t.api('GET', '/worlds/alpha/policy');
    return { body: { rules: lines }, headers: { 'If-Match': headers.get('etag') ?? '' } };
  };

/** Every route has at least one row. */
export const ROWS: readonly Row[] = [
  { route: 'GET /health', needs: 'open' },
  { route: 'POST /session', needs: 'open', make: ({ t }) => ({ body: { ticket: t.newTicket() } }) },
  { route: 'POST /session/challenge', needs: 'open' },
  { route: 'GET /sign-in', needs: 'open' },
  { route: 'POST /sign-in/oidc', needs: 'open' },
  { route: 'POST /mcp-sign-ins', needs: 'open', body: { state: 'none', callback: 'none', code: 'none' } },
  { route: 'GET /docs', needs: 'open' },
  { route: 'GET /docs.css', needs: 'open' },
  { route: 'GET /openapi.json', needs: 'known' },

  { route: 'GET /me', needs: 'account' },
  { route: 'GET /me/sessions', needs: 'account' },
  { route: 'DELETE /me/sessions', needs: 'sessions' },
  { route: 'DELETE /me/sessions/{session}', needs: 'sessions', allowed: GONE },
  { route: 'POST /me/devices/link', needs: 'device' },
  { route: 'GET /me/devices/link/{link}', needs: 'account', in: { link: 'none' }, allowed: GONE },
  {
    route: 'POST /me/devices/link/{link}/confirm',
    needs: 'account',
    in: { link: 'none' },
    body: { code: '000000' },
    allowed: GONE,
  },
  { route: 'DELETE /me/devices/link/{link}', needs: 'account', in: { link: 'none' }, allowed: GONE },
  { route: 'POST /tickets', needs: 'start' },
  {
    route: 'POST /me/challenges',
    needs: 'look, personal',
    body: { action: { kind: 'trust-passkey', passkey: 'none' } },
    allowed: 409,
  },
  {
    route: 'POST /me/challenges',
    what: 'to sign a call',
    needs: 'look, read',
    make: ({ approval }) => ({
      body: { action: { kind: 'sign-call', world: 'alpha', approval, decision: 'approve' } },
    }),
    allowed: 409,
  },
  {
    route: 'POST /me/challenges',
    what: 'to sign a batch',
    needs: 'look, read',
    body: { action: { kind: 'sign-batch', world: 'alpha', batch: 'none', batchHash: '0'.repeat(64) } },
    allowed: 409,
  },
  { route: 'GET /me/push', needs: 'look' },
  {
    route: 'POST /me/push',
    needs: 'look, personal',
    body: { endpoint: 'https://push.example', keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) } },
    allowed: 422,
  },
  {
    route: 'PATCH /me/push/{id}',
    needs: 'look',
    in: { id: 'none' },
    body: { quietHours: null },
    allowed: GONE,
  },
  { route: 'DELETE /me/push/{id}', needs: 'look', in: { id: 'none' }, allowed: GONE },
  { route: 'POST /me/push/{id}/test', needs: 'look', in: { id: 'none' }, allowed: GONE },
  { route: 'POST /denials', needs: 'open', body: { code: 'none' } },
  { route: 'GET /me/delegations', needs: 'look' },
  {
    route: 'POST /me/delegations',
    what: 'to oneself',
    needs: 'delegate',
    make: ({ actor: { me } }) => ({ body: { to: me ?? 'otto', until: '2100-01-01T00:00:00Z' } }),
    allowed: 422,
  },
  { route: 'DELETE /me/delegations/{delegation}', needs: 'own, personal', allowed: GONE },
  { route: 'POST /me/passkeys/options', needs: 'passkey', make: atPage },
  {
    route: 'POST /me/passkeys',
    needs: 'passkey',
    make: atPage,
    body: { credentialId: 'AA', clientData: 'e30', attestation: 'AA' },
    allowed: 409,
  },

  { route: 'GET /people', needs: 'look' },
  { route: 'POST /people', needs: 'server', make: unique({ role: 'viewer' }) },
  { route: 'POST /people', what: 'who signs', needs: 'server, sign', make: unique({ role: 'approver' }) },
  { route: 'POST /people', what: 'an owner', needs: 'owners, sign', make: unique({ role: 'owner' }) },
  { route: 'GET /people/{person}', needs: 'look', in: VERA },
  { route: 'PATCH /people/{person}', needs: 'server', in: VERA, body: { name: 'Vera' } },
  {
    route: 'PATCH /people/{person}',
    what: 'to sign',
    needs: 'server, sign',
    prepare: newPerson('viewer'),
    body: { role: 'approver' },
  },
  { route: 'PATCH /people/{person}', what: 'an owner', needs: 'owners', in: OTTO, body: { name: 'Otto' } },
  {
    route: 'PATCH /people/{person}',
    what: 'to owner',
    needs: 'owners',
    prepare: newPerson('admin'),
    body: { role: 'owner' },
  },
  {
    route: 'PATCH /people/{person}',
    what: 'an owner to admin',
    needs: 'owners',
    prepare: newPerson('owner'),
    body: { role: 'admin' },
  },
  { route: 'DELETE /people/{person}', needs: 'server', prepare: newPerson('viewer') },
  { route: 'DELETE /people/{person}', what: 'an owner', needs: 'owners', prepare: newPerson('owner') },
  { route: 'POST /people/{person}/invitations', needs: 'server, credential', in: VERA },
  // A session may propose calls of every agent, so a token without that right can't create one.
  {
    route: 'POST /people/{person}/invitations',
    what: 'who signs',
    needs: 'server, credential, sign, propose',
    in: { person: 'sid' },
  },
  {
    route: 'POST /people/{person}/invitations',
    what: 'an owner',
    needs: 'owners, credential, sign, propose',
    in: OTTO,
  },
  { route: 'GET /people/{person}/sessions', needs: 'server', in: VERA },
  { route: 'GET /people/{person}/sessions', what: 'own', needs: 'look', in: ME },
  { route: 'DELETE /people/{person}/sessions', needs: 'server', in: VERA },
  { route: 'DELETE /people/{person}/sessions', what: 'of an owner', needs: 'owners', in: OTTO },
  { route: 'DELETE /people/{person}/sessions', what: 'own', needs: 'own', in: ME },
  { route: 'DELETE /people/{person}/sessions/{session}', needs: 'server', in: VERA, allowed: GONE },
  {
    route: 'DELETE /people/{person}/sessions/{session}',
    what: 'of an owner',
    needs: 'owners',
    in: OTTO,
    allowed: GONE,
  },
  { route: 'DELETE /people/{person}/sessions/{session}', what: 'own', needs: 'own', in: ME, allowed: GONE },
  { route: 'GET /people/{person}/tokens', needs: 'server', in: VERA },
  { route: 'GET /people/{person}/tokens', what: 'own', needs: 'account', in: ME },
  { route: 'POST /people/{person}/tokens', needs: 'server, credential', in: VERA, body: token('read') },
  {
    route: 'POST /people/{person}/tokens',
    what: 'of an owner',
    needs: 'owners, credential',
    in: OTTO,
    body: token('read'),
  },
  { route: 'POST /people/{person}/tokens', what: 'own', needs: 'credential', in: ME, body: token('read') },
  {
    route: 'POST /people/{person}/tokens',
    what: 'own, that signs',
    needs: 'credential, delegate',
    in: ME,
    body: token('sign'),
  },
  {
    route: 'POST /people/{person}/tokens',
    what: 'that signs',
    needs: 'never',
    in: { person: 'sid' },
    body: token('sign'),
  },
  { route: 'DELETE /people/{person}/tokens/{token}', needs: 'server', in: VERA, allowed: GONE },
  { route: 'DELETE /people/{person}/tokens/{token}', what: 'of an owner', needs: 'owners', in: OTTO, allowed: GONE },
  { route: 'DELETE /people/{person}/tokens/{token}', what: 'own', needs: 'own', in: ME, allowed: GONE },
  { route: 'GET /people/{person}/passkeys', needs: 'server', in: VERA },
  { route: 'GET /people/{person}/passkeys', what: 'own', needs: 'account', in: ME },
  {
    route: 'PATCH /people/{person}/passkeys/{passkey}',
    needs: 'server',
    in: VERA,
    make: atPage,
    body: passkey,
    allowed: GONE,
  },
  {
    route: 'PATCH /people/{person}/passkeys/{passkey}',
    what: 'of an owner',
    needs: 'owners',
    in: OTTO,
    make: atPage,
    body: passkey,
    allowed: GONE,
  },
  {
    route: 'PATCH /people/{person}/passkeys/{passkey}',
    what: 'own',
    needs: 'own',
    in: ME,
    make: atPage,
    body: passkey,
    allowed: GONE,
  },
  { route: 'DELETE /people/{person}/passkeys/{passkey}', needs: 'server', in: VERA, allowed: GONE },
  {
    route: 'DELETE /people/{person}/passkeys/{passkey}',
    what: 'of an owner',
    needs: 'owners',
    in: OTTO,
    allowed: GONE,
  },
  { route: 'DELETE /people/{person}/passkeys/{passkey}', what: 'own', needs: 'own', in: ME, allowed: GONE },
  { route: 'GET /people/{person}/delegations', needs: 'server', in: VERA },
  { route: 'GET /people/{person}/delegations', what: 'own', needs: 'look', in: ME },
  { route: 'DELETE /people/{person}/delegations/{delegation}', needs: 'server', in: VERA, allowed: GONE },
  { route: 'DELETE /people/{person}/delegations/{delegation}', what: 'own', needs: 'own', in: ME, allowed: GONE },
  { route: 'GET /groups', needs: 'look' },
  { route: 'GET /groups/{group}', needs: 'look', in: { group: 'crew' } },
  { route: 'PUT /groups/{group}', needs: 'server', in: { group: 'crew' }, body: { people: [] } },
  { route: 'DELETE /groups/{group}', needs: 'server', allowed: GONE },
  { route: 'GET /stuck-rules', needs: 'server' },
  { route: 'GET /audit', needs: 'server' },
  { route: 'GET /audit/verify', needs: 'server' },
  { route: 'GET /metrics', needs: 'overview' },

  { route: 'GET /providers', needs: 'look' },
  { route: 'GET /providers/{provider}/models', needs: 'look', in: { provider: 'box' } },
  { route: 'POST /providers', needs: 'server', make: unique({ kind: 'vllm', baseUrl: 'http://127.0.0.1:9' }) },
  { route: 'PATCH /providers/{provider}', needs: 'server', in: { provider: 'box' }, body: { name: 'box' } },
  { route: 'DELETE /providers/{provider}', needs: 'server', allowed: GONE },
  { route: 'POST /providers/{provider}/test', needs: 'server', in: { provider: 'box' } },

  { route: 'GET /webhooks', needs: 'server' },
  {
    route: 'POST /webhooks',
    needs: 'server, overview, credential',
    body: { url: 'https://127.0.0.1/x', events: ['chat.idle'] },
    allowed: 422,
  },
  { route: 'PATCH /webhooks/{id}', needs: 'server', in: { id: 'none' }, body: { active: false }, allowed: GONE },
  {
    route: 'PATCH /webhooks/{id}',
    what: 'another URL',
    needs: 'server, overview, credential',
    in: { id: 'none' },
    body: { url: 'https://127.0.0.1/x' },
    allowed: 422,
  },
  { route: 'DELETE /webhooks/{id}', needs: 'server', in: { id: 'none' }, allowed: GONE },
  { route: 'GET /webhooks/{id}/deliveries', needs: 'server', in: { id: 'none' }, allowed: GONE },
  { route: 'POST /webhooks/{id}/replay', needs: 'server', in: { id: 'none' }, body: {}, allowed: GONE },

  { route: 'GET /worlds', needs: 'account' },
  { route: 'POST /worlds', needs: 'server', make: unique({}) },
  {
    route: 'POST /worlds/import',
    needs: 'server',
    headers: { 'Content-Type': 'application/yaml' },
    make: ({ n }) => ({ body: `countersign: 1\nname: Imported ${n}\n` }),
  },
  { route: 'GET /worlds/{world}', needs: 'read' },
  { route: 'PATCH /worlds/{world}', needs: 'administer', body: { description: 'changed' } },
  {
    route: 'PATCH /worlds/{world}',
    what: 'to another folder',
    needs: 'administer, server',
    body: { workingDirectory: FOLDER },
  },
  { route: 'PATCH /worlds/{world}', what: 'with a root', needs: 'administer, server', body: { roots: [FOLDER] } },
  { route: 'DELETE /worlds/{world}', needs: 'administer', headers: STALE, allowed: 412 },
  { route: 'GET /worlds/{world}/export', needs: 'read' },

  { route: 'GET /worlds/{world}/agents', needs: 'read' },
  { route: 'POST /worlds/{world}/agents', needs: 'administer', make: unique({ provider: 'scripted', model: 'any' }) },
  {
    route: 'POST /worlds/{world}/agents',
    what: 'outside the sandbox',
    needs: 'administer, server, sign',
    make: unique({ provider: 'acp', model: 'other', acp: { command: ['/bin/true'] } }),
  },
  { route: 'GET /worlds/{world}/agents/{agent}', needs: 'read', in: { agent: 'ada' } },
  {
    route: 'PATCH /worlds/{world}/agents/{agent}',
    what: 'to a program',
    needs: 'administer, server, sign',
    prepare: async ({ t }, n) => {
      const agent = { name: `Turned ${n}`, provider: 'scripted', model: 'x' };
      return { in: { agent: (await t.api<{ id: string }>('POST', '/worlds/alpha/agents', agent)).body.id } };
    },
    body: { provider: 'acp', model: 'other', acp: { command: ['/bin/true'] } },
  },
  {
    route: 'PATCH /worlds/{world}/agents/{agent}',
    needs: 'administer',
    in: { agent: 'ada' },
    body: { temperature: 1 },
  },
  {
    route: 'DELETE /worlds/{world}/agents/{agent}',
    needs: 'administer',
    in: { agent: 'ada' },
    headers: STALE,
    allowed: 412,
  },
  {
    route: 'GET /worlds/{world}/agents/{agent}/memory',
    needs: 'read',
    in: { agent: 'ada' },
    query: '?chat=none',
    allowed: GONE,
  },

  { route: 'GET /worlds/{world}/chats', needs: 'read' },
  { route: 'POST /worlds/{world}/chats', needs: 'chat' },
  { route: 'GET /worlds/{world}/chats/{chat}', needs: 'read' },
  { route: 'PATCH /worlds/{world}/chats/{chat}', needs: 'chat', body: { title: 'Changed' } },
  { route: 'DELETE /worlds/{world}/chats/{chat}', needs: 'chat', in: { chat: 'none' }, allowed: GONE },
  { route: 'GET /worlds/{world}/chats/{chat}/branches', needs: 'read' },
  {
    route: 'POST /worlds/{world}/chats/{chat}/branches',
    needs: 'chat',
    in: { chat: 'none' },
    body: { fromMessageId: 'none' },
    allowed: GONE,
  },
  { route: 'GET /worlds/{world}/chats/{chat}/messages', needs: 'read' },
  {
    route: 'POST /worlds/{world}/chats/{chat}/messages',
    needs: 'chat',
    in: { chat: 'none' },
    body: { content: 'hello' },
    allowed: GONE,
  },
  {
    route: 'POST /worlds/{world}/chats/{chat}/attachments',
    needs: 'chat',
    body: { name: 'notes.md', base64: 'aGk=' },
  },
  { route: 'GET /worlds/{world}/chats/{chat}/attachments/{attachment}', needs: 'read', allowed: GONE },
  { route: 'GET /worlds/{world}/chats/{chat}/export', needs: 'read' },
  { route: 'POST /worlds/{world}/chats/{chat}/stop', needs: 'chat', in: { chat: 'none' }, allowed: GONE },
  {
    route: 'POST /worlds/{world}/chats/{chat}/sentence',
    needs: 'sign',
    in: { chat: 'none' },
    body: { text: 'hello' },
    allowed: GONE,
  },
  { route: 'GET /worlds/{world}/chats/{chat}/turns/{turn}/timeline', needs: 'read', allowed: GONE },
  { route: 'GET /worlds/{world}/schedules', needs: 'read' },
  {
    route: 'POST /worlds/{world}/schedules',
    needs: 'chat, personal',
    body: { chatId: 'none', content: 'Good morning', cron: '0 8 * * *' },
    allowed: 422,
  },
  {
    route: 'PATCH /worlds/{world}/schedules/{schedule}',
    needs: 'chat',
    in: { schedule: 'none' },
    body: { paused: true },
    allowed: GONE,
  },
  { route: 'DELETE /worlds/{world}/schedules/{schedule}', needs: 'chat', in: { schedule: 'none' }, allowed: GONE },
  { route: 'GET /worlds/{world}/chats/{chat}/events', needs: 'read' },
  { route: 'GET /worlds/{world}/events', needs: 'read' },
  { route: 'GET /approvals/events', needs: 'inbox' },
  { route: 'GET /worlds/{world}/approvals/events', needs: 'read, queue' },
  { route: 'POST /worlds/{world}/clients', needs: 'chat', body: { label: 'app', approvals: true } },

  { route: 'GET /approvals', needs: 'inbox' },
  {
    route: 'POST /decisions',
    needs: 'inbox',
    body: { decisions: [{ worldId: 'alpha', tool_call_id: 'none', decision: 'deny', callHash: 'none' }] },
  },
  { route: 'GET /worlds/{world}/approvals', needs: 'read, queue' },
  { route: 'GET /worlds/{world}/approvals/{approval}', needs: 'read, queue' },
  { route: 'GET /worlds/{world}/approvals/{approval}/effect', needs: 'read, queue', allowed: GONE },
  { route: 'POST /worlds/{world}/approvals/{approval}/reveal', needs: 'sign, queue' },
  {
    route: 'POST /worlds/{world}/tool-results',
    what: 'to approve',
    needs: 'sign, queue',
    make: decide({}),
    allowed: 409,
  },
  {
    route: 'POST /worlds/{world}/tool-results',
    what: 'to deny',
    needs: 'sign, queue',
    make: decide({ decision: 'deny' }),
    allowed: 409,
  },
  {
    route: 'POST /worlds/{world}/tool-results',
    what: 'to always approve',
    needs: 'sign, queue, administer',
    make: decide({ scope: 'always' }),
    allowed: 409,
  },
  {
    route: 'POST /worlds/{world}/tool-results',
    what: 'to answer',
    needs: 'chat',
    body: { tool_call_id: 'none', content: 'x' },
    allowed: GONE,
  },
  {
    route: 'POST /worlds/{world}/batches',
    needs: 'sign, queue',
    body: { approvals: ['none', 'another'] },
    allowed: GONE,
  },
  {
    route: 'POST /worlds/{world}/batches/{batch}/decision',
    needs: 'sign, queue',
    body: { decision: 'approve', batchHash: '0'.repeat(64) },
    allowed: GONE,
  },
  { route: 'GET /worlds/{world}/undo', needs: 'read' },
  { route: 'GET /worlds/{world}/calls/{call}/undo', needs: 'sign, queue', allowed: GONE },
  {
    route: 'POST /worlds/{world}/calls/{call}/undo',
    needs: 'sign, queue',
    body: { effectHash: '0'.repeat(64) },
    allowed: GONE,
  },
  { route: 'GET /worlds/{world}/grants', needs: 'read' },
  { route: 'DELETE /worlds/{world}/grants/{grant}', needs: 'sign', allowed: GONE },

  {
    route: 'POST /worlds/{world}/external/calls',
    needs: 'propose',
    make: ({ n, actor }) => ({ body: { ...externalCall, agent: agentOf(actor), key: `k${n}` } }),
  },
  {
    // A token of an agent has no account.
    route: 'POST /worlds/{world}/external/calls',
    what: 'of another agent',
    needs: 'account, propose',
    refused: GONE,
    make: ({ n, actor }) => ({
      body: { ...externalCall, agent: agentOf(actor) === 'claude' ? 'cody' : 'claude', key: `k${n}` },
    }),
  },
  { route: 'GET /worlds/{world}/external/calls/{call}', needs: 'propose', allowed: GONE },
  { route: 'POST /worlds/{world}/external/calls/{call}/fetch', needs: 'propose', allowed: GONE },
  {
    route: 'POST /worlds/{world}/external/calls/{call}/result',
    needs: 'propose',
    body: { content: '' },
    allowed: GONE,
  },
  {
    route: 'POST /worlds/{world}/external/sessions/{session}/end',
    needs: 'propose',
    make: ({ actor }) => ({ body: { agent: agentOf(actor) } }),
  },
  {
    route: 'POST /worlds/{world}/external/sessions/{session}/context',
    needs: 'propose',
    make: ({ actor }) => ({ body: { agent: agentOf(actor), delivery: 'd' } }),
  },
  {
    route: 'POST /worlds/{world}/external/agents',
    needs: 'administer, credential, propose',
    make: unique({ program: 'claude' }),
  },
  {
    route: 'POST /worlds/{world}/external/agents',
    what: 'for a token that is there',
    needs: 'administer, credential, propose',
    make: unique({ program: 'claude', tokenId: 'none' }),
    allowed: GONE,
  },
  { route: 'GET /worlds/{world}/external/reading-rules', needs: 'administer', query: '?program=claude' },
  // The server of this test doesn't know the agents of its computer.
  { route: 'GET /local-agents', needs: 'server, sign', allowed: GONE },
  {
    route: 'PUT /local-agents/{agent}/gate',
    needs: 'server, sign',
    body: { tokenId: 'none', world: 'alpha' },
    allowed: GONE,
  },
  {
    route: 'ALL /mcp/{world}',
    needs: 'propose',
    make: ({ actor }) => ({ query: `?agent=${agentOf(actor)}` }),
    headers: { Accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
  },

  // The server of this test makes no drafts.
  {
    route: 'POST /worlds/{world}/runs',
    needs: 'chat',
    body: { program: ['true'], supervisor: { pid: 1, started: '1' } },
    allowed: 409,
  },
  { route: 'GET /worlds/{world}/runs', needs: 'read' },
  { route: 'GET /worlds/{world}/runs/{run}', needs: 'read', allowed: GONE },
  { route: 'POST /worlds/{world}/runs/{run}/end', needs: 'chat', allowed: GONE },
  { route: 'POST /worlds/{world}/runs/{run}/apply', needs: 'chat', allowed: GONE },
  {
    route: 'POST /worlds/{world}/runs/{run}/request-changes',
    needs: 'sign, queue',
    body: { message: 'Keep the old name.' },
    allowed: GONE,
  },
  {
    route: 'POST /worlds/{world}/runs/{run}/select',
    needs: 'sign, queue',
    body: { effectHash: '0'.repeat(64), paths: ['a'] },
    allowed: GONE,
  },
  {
    route: 'POST /worlds/{world}/runs/{run}/restart',
    needs: 'chat',
    body: { program: ['true'], supervisor: { pid: 1, started: '1' } },
    allowed: GONE,
  },
  { route: 'POST /worlds/{world}/runs/{run}/discard', needs: 'sign, queue', allowed: GONE },

  { route: 'GET /worlds/{world}/policy', needs: 'read' },
  { route: 'PUT /worlds/{world}/policy', needs: 'administer', make: rules('deny nothing') },
  {
    route: 'PUT /worlds/{world}/policy',
    what: 'to reach a private address',
    needs: 'administer, server',
    make: rules('allow sandbox_network(127.0.0.1:9)'),
  },
  { route: 'POST /worlds/{world}/policy/check', needs: 'read', body: { tool: 'remove', arguments: {} } },
  {
    route: 'POST /worlds/{world}/policy/check',
    what: 'with a rehearsal',
    needs: 'sign',
    body: { tool: 'remove', arguments: {}, rehearse: true },
    allowed: 422,
  },
  {
    route: 'POST /worlds/{world}/policy/check',
    what: 'with a rehearsal that reaches a private address',
    needs: 'sign, server',
    body: { tool: 'remove', arguments: {}, rehearse: true, rules: ['allow sandbox_network(127.0.0.1:9)'] },
    allowed: 422,
  },
  { route: 'POST /worlds/{world}/policy/matches', needs: 'read', body: { rule: 'allow remove' } },
  { route: 'GET /worlds/{world}/policy/suggestions', needs: 'administer' },
  { route: 'GET /worlds/{world}/policy/uses', needs: 'read' },
  { route: 'POST /worlds/{world}/policy/replay', needs: 'administer, sign', body: {} },
  { route: 'GET /worlds/{world}/tools', needs: 'read' },

  { route: 'GET /worlds/{world}/mcp-servers', needs: 'read' },
  {
    route: 'POST /worlds/{world}/mcp-servers',
    needs: 'administer',
    make: ({ n }) => ({ body: { name: `remote-${n}`, transport: 'http', url: 'https://mcp.example.com' } }),
  },
  {
    route: 'POST /worlds/{world}/mcp-servers',
    what: 'a program',
    needs: 'administer, server, sign',
    make: ({ n }) => ({ body: { name: `local-${n}`, transport: 'stdio', command: 'nothing-to-start' } }),
  },
  { route: 'GET /worlds/{world}/mcp-servers/{name}', needs: 'read', allowed: GONE },
  { route: 'PATCH /worlds/{world}/mcp-servers/{name}', needs: 'administer', body: { enabled: false }, allowed: GONE },
  {
    route: 'PATCH /worlds/{world}/mcp-servers/{name}',
    what: 'a program',
    needs: 'administer, server, sign',
    prepare: async ({ t }, n) => {
      const server = { name: `kept-${n}`, transport: 'stdio', command: 'nothing-to-start', enabled: false };
      await t.api('POST', '/worlds/alpha/mcp-servers', server);
      return { in: { name: server.name } };
    },
    body: { command: 'something-else' },
  },
  { route: 'DELETE /worlds/{world}/mcp-servers/{name}', needs: 'administer', allowed: GONE },
  { route: 'POST /worlds/{world}/mcp-servers/{name}/restart', needs: 'administer', allowed: GONE },
  { route: 'POST /worlds/{world}/mcp-servers/{name}/test', needs: 'administer', allowed: GONE },
  { route: 'GET /worlds/{world}/mcp-servers/{name}/context', needs: 'chat', allowed: GONE },
  { route: 'POST /worlds/{world}/mcp-servers/{name}/context', needs: 'chat', body: { prompt: 'x' }, allowed: GONE },
  {
    route: 'POST /worlds/{world}/mcp-servers/{name}/sign-in',
    needs: 'administer',
    make: ({ t }) => ({ body: { origin: t.url } }),
    allowed: GONE,
  },
  { route: 'DELETE /worlds/{world}/mcp-servers/{name}/sign-in', needs: 'administer', allowed: GONE },

  { route: 'GET /worlds/{world}/search', needs: 'read', query: '?q=hello' },
  { route: 'GET /worlds/{world}/audit', needs: 'read' },
  { route: 'GET /worlds/{world}/audit', what: 'of the server', needs: 'never', in: { world: '_server' } },
  { route: 'GET /worlds/{world}/audit/verify', needs: 'read' },
  { route: 'POST /worlds/{world}/audit/{call}/original', needs: 'sign, queue', allowed: GONE },
  { route: 'GET /worlds/{world}/costs', needs: 'read' },
  { route: 'GET /worlds/{world}/stats', needs: 'read' },
  { route: 'GET /worlds/{world}/questions', needs: 'read' },
];

/** The answer to a request, as far as it tells who may send it. */
interface Verdict {
  readonly status: number;
  /** The same answer as in a world that doesn't exist. */
  readonly isHidden: boolean;
  readonly text: string;
}

let sent = 0;
/** Cheaper than `fetch`, which took half of the time. */
const agent = new Agent({ keepAlive: true });

/** Adds what a request needs. */
export async function prepare(matrix: Matrix, row: Row): Promise<Parts> {
  return (await row.prepare?.(matrix, (sent += 1))) ?? {};
}

/** Sends the request of a row as one of the actors. */
export async function sendRow(matrix: Matrix, row: Row, actor: Actor, prepared: Parts): Promise<Verdict> {
  const made = (await row.make?.({ ...matrix, actor, n: (sent += 1) })) ?? {};
  const body = made.body ?? row.body;
  const [method = '', path = ''] = row.route.split(' ');
  const names: Readonly<Record<string, string>> = {
    world: 'alpha',
    chat: matrix.chat,
    approval: matrix.approval,
    ...row.in,
    ...prepared.in,
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    (names[name] ?? 'none').replace('{me}', actor.me ?? ''),
  );
  const prefix = /^\/(?:mcp\/|metrics$)/.test(path) ? '' : '/api';
  const sending = request(`${matrix.t.url}${prefix}${filled}${made.query ?? row.query ?? ''}`, {
    agent,
    method: method === 'ALL' ? 'POST' : method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...row.headers,
      ...made.headers,
      ...actor.headers,
    },
  });
  sending.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headers } = response;
  if (headers['content-type']?.startsWith('text/event-stream') === true) {
    response.destroy();
    return { status, isHidden: false, text: '' };
  }
  const answer = await text(response);
  if (status < 400) return { status, isHidden: false, text: '' };
  const { detail } = JSON.parse(answer) as { detail?: string };
  return { status, isHidden: status === 404 && detail === problemTexts.noWorld(names['world'] ?? ''), text: answer };
}
