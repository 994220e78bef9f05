import { randomUUID } from 'node:crypto';
import { CountersignError, type Signer } from '@countersign/protocol';
import type {
  McpAuthorizer,
  McpGrant,
  McpRemote,
  McpServerRecord,
  McpSignIn,
  McpTokens,
  SecretBox,
} from '../ports/index.js';
import { changeWorld, mustHaveChanged } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';
import { serverOf } from './find-server.js';
import { openDefinition, openSignIn, sealSignIn } from './mcp-secrets.js';
import { showDefinition } from './mcp-show.js';
import { showSignIn } from './show-sign-in.js';

/** Longer than a request to the authorization server may take. After that, the process that refreshes is considered dead. */
const REFRESH_MS = 40_000;
const LOOK_AGAIN_MS = 200;

interface Renewal {
  worldId: string;
  name: string;
  /** The access token that no longer works. */
  used: string;
  refresh: McpAuthorizer['refresh'];
}

type Turn =
  | { kind: 'done'; tokens: McpTokens | undefined }
  | { kind: 'wait' }
  | { kind: 'mine'; by: string; remote: McpRemote; grant: McpGrant; refreshToken: string };

/** Gets fresh tokens. Only one process at a time sends the refresh token: most authorization servers accept it only once. */
export async function renewTokens(runtime: Runtime, renewal: Renewal): Promise<McpTokens | undefined> {
  for (;;) {
    const turn = await takeTurn(runtime, renewal);
    if (turn.kind === 'done') return turn.tokens;
    if (turn.kind === 'mine') return await refreshNow(runtime, renewal, turn);
    await new Promise<void>((resolve) => runtime.clock.after(LOOK_AGAIN_MS, resolve));
  }
}

async function takeTurn(runtime: Runtime, { worldId, name, used }: Renewal): Promise<Turn> {
  return await changeSignIn<Turn>(runtime, 'renew-mcp-tokens', { worldId, name }, (signIn, { now, server }) => {
    const tokens = signIn?.grant?.tokens;
    if (signIn?.grant === undefined || tokens === undefined) return { value: { kind: 'done', tokens: undefined } };
    if (tokens.access !== used) return { value: { kind: 'done', tokens } };
    const opened = openDefinition(runtime.options.secretBox, server);
    if (tokens.refresh === undefined || !opened.ok || opened.definition.transport !== 'http') {
      return { value: { kind: 'done', tokens: undefined }, signIn: expired(signIn) };
    }
    if (signIn.refresh !== undefined && signIn.refresh.until > now) return { value: { kind: 'wait' } };
    const by = randomUUID();
    const { url, headers, publicOnly } = opened.definition;
    const mine: Turn = {
      kind: 'mine',
      by,
      remote: { url, headers, ...(publicOnly === undefined ? {} : { publicOnly }) },
      grant: signIn.grant,
      refreshToken: tokens.refresh,
    };
    return { value: mine, signIn: { ...signIn, refresh: { by, until: now + REFRESH_MS } } };
  });
}

async function refreshNow(
  runtime: Runtime,
  { worldId, name, refresh }: Renewal,
  { by, remote, grant, refreshToken }: Extract<Turn, { kind: 'mine' }>,
): Promise<McpTokens | undefined> {
  const settle = (settled: (signIn: McpSignIn) => McpSignIn): Promise<McpTokens | undefined> =>
    changeSignIn(runtime, 'renewed-mcp-tokens', { worldId, name }, (signIn) => {
      // Someone signed in or out in the meantime; their change wins.
      if (signIn?.refresh?.by !== by) return { value: signIn?.grant?.tokens };
      const { refresh: _ended, ...kept } = settled(signIn);
      return { value: kept.grant?.tokens, signIn: kept };
    });
  let tokens: McpTokens | undefined;
  try {
    tokens = await refresh(remote, grant, refreshToken);
  } catch (error) {
    await settle((signIn) => signIn);
    throw error;
  }
  return await settle((signIn) =>
    tokens === undefined ? expired(signIn) : { ...signIn, grant: { ...grant, tokens } },
  );
}

/** Keeps the client, so that a person doesn't have to enter it again. */
function expired(signIn: McpSignIn): McpSignIn {
  const { refresh: _refresh, grant, ...kept } = signIn;
  if (grant === undefined) return kept;
  const { tokens: _tokens, ...client } = grant;
  return { ...kept, grant: client };
}

interface SignInToChange {
  server: McpServerRecord;
  now: number;
}

interface ChangedSignIn<T> {
  value: T;
  /** What is stored. Null for none, absent if nothing changes. */
  signIn?: McpSignIn | null;
  /** Recorded with it. */
  signed?: { decision: 'signed in' | 'signed out'; by: Signer };
}

/** Reads and changes a sign-in in one transaction. */
export async function changeSignIn<T>(
  runtime: Runtime,
  what: string,
  { worldId, name }: { worldId: string; name: string },
  decide: (signIn: McpSignIn | undefined, of: SignInToChange) => ChangedSignIn<T>,
): Promise<T> {
  return await changeWorld(runtime, what, worldId, async (change) => {
    const server = await serverOf(change, name);
    const opened = openSignIn(runtime.options.secretBox, server);
    const now = change.tx.now();
    const { value, signIn, signed } = decide(opened === 'unreadable' ? undefined : opened, { server, now });
    if (signIn === undefined) return value;
    const sealed = signIn === null ? null : sealSignIn(boxOf(runtime), server, signIn);
    const shown = [opened, signIn ?? undefined].map((each) => JSON.stringify(showSignIn(each, now)));
    const written = await writeFact(change.tx, {
      kind: 'mcp-server-changed',
      name,
      row: { before: server, after: { ...server, signIn: sealed } },
      ...(shown[0] === shown[1] ? {} : { operation: 'update' }),
      ...(signed && { decisions: [signed.decision], shown: showDefinition(server.definition), by: signed.by }),
    });
    mustHaveChanged(written);
    return value;
  });
}

export function boxOf({ options: { secretBox } }: Runtime): SecretBox {
  if (secretBox !== undefined) return secretBox;
  const detail = "This process has no secrets key, so it can't store a sign-in. Use a header with a token instead.";
  throw new CountersignError('conflict', detail);
}
