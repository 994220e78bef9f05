import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  CountersignError,
  type McpServer,
  type McpSignInAnswer,
  type McpSignInRequest,
  type McpSignInStart,
  type Signer,
} from '@countersign/protocol';
import type { McpAuthorizer, McpPendingSignIn, McpRemote, SecretBox } from '../ports/index.js';
import { hasAuthorizationHeader } from '../ports/mcp-sign-in.js';
import { errorMessage } from '../ports/error-message.js';
import type { Runtime } from '../step/runtime.js';
import { reload, showMcpServer } from './mcp-servers.js';
import { openDefinition, openSignIn } from './mcp-secrets.js';
import { boxOf, changeSignIn } from './mcp-tokens.js';

/** How long a person has to sign in. */
const PENDING_MS = 10 * 60_000;
const USED = '';
const STATE_PURPOSE = ['mcp sign-in state'];

interface SignInTarget {
  worldId: string;
  name: string;
}

interface Starting extends SignInTarget, McpSignInRequest {
  /** The page that authorization servers send the browser to, without the part for this server. */
  redirectUrl: string;
  /** The browser session that must finish the sign-in. Absent for a program with the token. */
  session: string | undefined;
  signer: Signer;
}

/** Starts a sign-in to a remote server: returns the URL that a person opens in a browser. A new attempt replaces the last one. */
export async function startMcpSignIn(runtime: Runtime, starting: Starting): Promise<McpSignInStart> {
  const { worldId, name, redirectUrl: page, session, signer, clientId, clientSecret } = starting;
  // One for each server: an authorization server that sends no `iss` could otherwise pass off the answer of another (mix-up).
  const redirectUrl = `${page}/${hash(JSON.stringify([worldId, name])).slice(0, 16)}`;
  const box = boxOf(runtime);
  const { remote, signIn: known } = await readRemote(runtime, starting);
  if (hasAuthorizationHeader(remote)) {
    const detail = `The MCP server "${name}" has an Authorization header. Remove it to sign in.`;
    throw new CountersignError('conflict', detail);
  }
  // The state names the server, encrypted: anything else is refused without reading the store.
  const state = box.seal(JSON.stringify([worldId, name, randomBytes(32).toString('base64url')]), STATE_PURPOSE);
  const entered = clientId === undefined ? undefined : { id: clientId, secret: clientSecret };
  const started = await authorizerOf(runtime)
    .start(remote, {
      redirectUrl,
      state,
      ...(entered === undefined ? {} : { entered: { id: entered.id, ...maybe('secret', entered.secret) } }),
      ...maybe('known', known?.grant),
    })
    .catch(refuse);
  if (started.kind === 'client-needed') return { kind: 'client-needed', issuer: started.issuer, redirectUrl };
  const { kind: _kind, url, verifier, ...authorization } = started;
  const expiresAt = runtime.clock.now() + PENDING_MS;
  const pending: McpPendingSignIn = {
    ...authorization,
    state: hash(state),
    verifier,
    redirectUrl,
    expiresAt,
    signer,
    ...maybe('session', session),
  };
  await changeSignIn(runtime, 'start-mcp-sign-in', starting, (signIn, { server }) => {
    // The URL was edited while we asked the old server.
    if (remoteOf(runtime, server)?.url !== remote.url) throw changedMeanwhile();
    const { error: _error, ...kept } = signIn ?? {};
    return { value: undefined, signIn: { ...kept, pending } };
  });
  const { issuer } = authorization.metadata;
  return { kind: 'ready', url, issuer, expiresAt: new Date(expiresAt).toISOString() };
}

/** Finishes a sign-in with the parameters that the authorization server gave the browser. Each state works once. */
export async function finishMcpSignIn(
  runtime: Runtime,
  answer: McpSignInAnswer,
  asker: {
    session: () => Promise<string | undefined>;
    mayChange: (worldId: string, signer: Signer) => Promise<boolean>;
  },
): Promise<{ world: string; server: string }> {
  const place = placeIn(boxOf(runtime), answer.state);
  // Checked before the attempt is used up: another session must not be able to end it.
  const { remote, signIn: before } = await readRemote(runtime, place);
  const owner = before?.pending?.session;
  if (owner !== undefined && owner !== (await asker.session())) {
    const detail = 'Another browser session started this sign-in. Finish it in that browser, or start again here.';
    throw new CountersignError('conflict', detail);
  }
  const pending = await takePending(runtime, place, answer.state);
  try {
    if (!(await asker.mayChange(place.worldId, pending.signer)))
      throw new Error('the person who started the sign-in may no longer change servers in this world');
    if (new URL(pending.redirectUrl).pathname.split('/').at(-1) !== answer.callback)
      throw new Error('the response came from a different authorization server than the one that was asked');
    if (answer.code === undefined)
      throw new Error(`the authorization server denied the sign-in (${answer.error ?? 'no code'})`);
    const answered = { code: answer.code, ...maybe('iss', answer.iss) };
    const tokens = await authorizerOf(runtime).redeem(remote, pending, answered);
    const { metadata, resource, client } = pending;
    await changeSignIn(runtime, 'finish-mcp-sign-in', place, (_signIn, { server }) => {
      if (remoteOf(runtime, server)?.url !== remote.url) throw changedMeanwhile();
      const grant = { id: randomUUID(), metadata, client, tokens, ...maybe('resource', resource) };
      return { value: undefined, signIn: { grant }, signed: { decision: 'signed in', by: pending.signer } };
    });
  } catch (error) {
    const detail = `You are not signed in: ${errorMessage(error)}.`;
    await changeSignIn(runtime, 'fail-mcp-sign-in', place, (signIn) => {
      // Someone started again in the meantime.
      if (signIn?.pending?.state !== USED) return { value: undefined };
      const { pending: _failed, ...kept } = signIn;
      return { value: undefined, signIn: { ...kept, error: detail } };
    });
    throw new CountersignError('conflict', `${detail} Start again.`, { cause: error });
  }
  await reload(runtime, place.worldId, place.name);
  return { world: place.worldId, server: place.name };
}

/** Deletes the tokens and revokes them if the authorization server supports it. */
export async function signOutOfMcpServer(runtime: Runtime, place: SignInTarget, signer: Signer): Promise<McpServer> {
  const { remote, signIn } = await readRemote(runtime, place);
  await changeSignIn(runtime, 'mcp-sign-out', place, (_signIn, { server }) => {
    const signed = server.signIn === null ? {} : { signed: { decision: 'signed out', by: signer } as const };
    return { value: undefined, signIn: null, ...signed };
  });
  await reload(runtime, place.worldId, place.name);
  // The tokens are already deleted here, so report a failed revocation but don't fail the sign-out.
  if (signIn?.grant?.tokens !== undefined) {
    await authorizerOf(runtime)
      .revoke(remote, signIn.grant)
      .catch((error: unknown) => runtime.report(error, `failed to revoke the tokens of "${place.name}"`));
  }
  return (await showMcpServer(runtime, place.worldId, place.name)).value;
}

async function takePending(runtime: Runtime, place: SignInTarget, state: string): Promise<McpPendingSignIn> {
  return await changeSignIn(runtime, 'take-mcp-sign-in', place, (signIn, { now }) => {
    if (signIn?.pending === undefined || signIn.pending.state !== hash(state)) throw unknownState();
    const { pending } = signIn;
    if (pending.expiresAt <= now) throw unknownState();
    // The attempt stays pending until the code is redeemed, so that a waiting `mcp login` doesn't give up. No state has an empty hash.
    return { value: pending, signIn: { ...signIn, pending: { ...pending, state: USED } } };
  });
}

async function readRemote(runtime: Runtime, { worldId, name }: SignInTarget) {
  await showMcpServer(runtime, worldId, name);
  const server = await runtime.store.read((reader) => reader.mcpServer(worldId, name));
  const remote = server === undefined ? undefined : remoteOf(runtime, server);
  if (server === undefined || remote === undefined) {
    throw new CountersignError('conflict', `"${name}" is not a remote MCP server with a readable configuration.`);
  }
  const signIn = openSignIn(runtime.options.secretBox, server);
  return { remote, signIn: signIn === 'unreadable' ? undefined : signIn };
}

function remoteOf(runtime: Runtime, server: Parameters<typeof openDefinition>[1]): McpRemote | undefined {
  const opened = openDefinition(runtime.options.secretBox, server);
  if (!opened.ok || opened.definition.transport !== 'http') return undefined;
  const { url, headers, publicOnly } = opened.definition;
  return { url, headers, ...(publicOnly === undefined ? {} : { publicOnly }) };
}

function placeIn(box: SecretBox, state: string): SignInTarget {
  const opened = box.unseal(state, STATE_PURPOSE);
  if (!opened.ok) throw unknownState();
  const [worldId = '', name = ''] = JSON.parse(opened.value) as string[];
  return { worldId, name };
}

function authorizerOf(runtime: Runtime): McpAuthorizer {
  if (runtime.mcp === undefined) throw new CountersignError('conflict', 'This process runs no MCP servers.');
  return runtime.mcp.authorizer;
}

function refuse(error: unknown): never {
  throw new CountersignError('conflict', `Can't sign in: ${errorMessage(error)}.`, { cause: error });
}

function unknownState(): CountersignError {
  return new CountersignError('conflict', 'This sign-in has expired or was already used. Start again.');
}

function changedMeanwhile(): CountersignError {
  return new CountersignError('conflict', 'The server changed while you were signing in. Start again.');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function maybe<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
