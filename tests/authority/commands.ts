import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../packages/server/src/testing/app-fixture.js';
import type { Actor, Matrix } from './actors.js';

/** Values for the names in braces of a row's words. */
type Names = Readonly<Record<string, string>>;

/**
 * One command, and the actions that it needs (docs/spec/authority.md), or `local` if it needs no right on a server. `{chat}` and `{approval}` are those of
 * `alpha`, `{n}` is a number that no other row has, `{home}` an empty folder. `prepare` gets another one.
 */
export interface CommandRow {
  /** As the program names it, such as `worlds add`. */
  readonly command: string;
  /** Tells several rows of one command apart. */
  readonly what?: string;
  readonly needs: string;
  /** Arguments and flags. A row without them isn't run. */
  readonly words?: string;
  readonly input?: string;
  /** The exit code if all is allowed. 0 by default; `waits` if the command doesn't end by itself, so that only a refusal is tried. */
  readonly allowed?: number | 'waits';
  /** The exit code of a refusal, for a command that answers a program in the program's own way. */
  readonly refused?: number;
  /** Runs in a terminal whose input ends at once, without `--json`. */
  readonly inTerminal?: true;
  /** It is about something that those with a role in this world only don't find. */
  readonly isElsewhere?: true;
  /** Only the token of an agent suffices: it says which agent that is. */
  readonly isAgents?: true;
  /** Waits for a server that doesn't know its credential. */
  readonly retries?: true;
  /** Adds something that the command changes or removes. */
  readonly prepare?: (matrix: Matrix, given: Given) => Promise<Names>;
}

interface Given {
  readonly n: number;
  readonly actor: Actor;
  /** For files of the row's own. */
  readonly folder: string;
}

const W = '-w alpha';
const URL = 'https://mcp.example.com';
const SOON = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();

/** Creates something as the server's token, and returns a field of the answer as `{it}`. */
const made =
  (path: string, body: object, field = 'id') =>
  async ({ t }: Matrix, { n }: Given): Promise<Names> => {
    const filled = JSON.parse(JSON.stringify(body).replaceAll('{n}', String(n))) as object;
    const { status, body: answer, text } = await t.api<Record<string, string>>('POST', path, filled);
    if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text}`);
    return { it: answer[field] ?? '' };
  };
const aWorld = made('/worlds', { name: 'Leaving {n}' });
const anAgent = made('/worlds/alpha/agents', { name: 'Leaving {n}', provider: 'scripted', model: 'any' });
const aChat = made('/worlds/alpha/chats', {});
const aPerson = made('/people', { name: 'Leaving {n}', role: 'viewer' });
const aProvider = made('/providers', { kind: 'vllm', name: 'Leaving {n}', baseUrl: 'http://127.0.0.1:9' });
const aToken = made('/people/vera/tokens', { name: 'Leaving {n}', scopes: ['read'] });
const server = (more: object) =>
  made('/worlds/alpha/mcp-servers', { name: 'server-{n}', transport: 'http', url: URL, ...more }, 'name');
const anOffServer = server({ enabled: false });
const aGroup = async ({ t }: Matrix, { n }: Given): Promise<Names> => {
  await t.api('PUT', `/groups/leaving-${n}`, { people: [] });
  return { it: `leaving-${n}` };
};
const setRules = async ({ t }: Matrix, ...rules: string[]): Promise<void> => {
  const { headers } = await t.api('GET', '/worlds/alpha/policy');
  await t.api('PUT', '/worlds/alpha/policy', { rules }, { 'If-Match': headers.get('etag') ?? '' });
};
const aRule = async (matrix: Matrix): Promise<Names> => {
  await setRules(matrix, 'deny nothing_here');
  return { it: 'deny nothing_here' };
};
const aFolder = async ({ t }: Matrix, { folder }: Given): Promise<Names> => {
  await t.api('PATCH', '/worlds/alpha', { workingDirectory: folder });
  return {};
};
const aQuestion = async (matrix: Matrix): Promise<Names> => ({ it: (await matrix.ask('question')).approval });
/** The settings of a hook with the actor's token. */
const aHook = ({ t }: Matrix, { actor, folder }: Given): Names => {
  const token = actor.headers['Authorization']?.replace('Bearer ', '') ?? '';
  const { agent = 'claude' } = actor;
  const settings = JSON.stringify({ url: t.url, token, world: 'alpha', agent, pass: 'pass' });
  mkdirSync(join(folder, 'gate'));
  for (const name of ['codex', 'gemini']) writeFileSync(join(folder, 'gate', `${name}.json`), settings);
  return { hooks: folder };
};
/** What `gate install` wrote for a token that is gone. */
const aGatedHome = async ({ t }: Matrix, { folder }: Given): Promise<Names> => {
  const about = { name: 'Claude Code', program: 'claude' };
  const settings = { url: t.url, token: 'none', tokenId: 'none', world: 'alpha', agent: 'claude', pass: 'p', about };
  mkdirSync(join(folder, 'gate'));
  writeFileSync(join(folder, 'gate', 'claude.json'), JSON.stringify({ ...settings, folders: [] }));
  return { hooks: folder };
};
const anAllowedTool = async (matrix: Matrix, given: Given): Promise<Names> => {
  await setRules(matrix, 'allow codex__Any');
  return aHook(matrix, given);
};
/** Proposed with the actor's token if it may, so that it may be fetched with it. */
const anAllowedCall = async (matrix: Matrix, given: Given): Promise<Names> => {
  await setRules(matrix, 'allow claude__Any');
  const { agent = 'claude' } = given.actor;
  const call = { agent, session: 's', key: `exec ${given.n}`, program: 'claude', tool: 'Any', claim: 'pass' };
  const body = { ...call, arguments: { command: 'true' }, cwd: process.cwd(), reports: true };
  const propose = async (headers: Actor['headers']): Promise<string | undefined> =>
    (await matrix.t.api<{ id?: string }>('POST', '/worlds/alpha/external/calls', body, headers)).body.id;
  const it = (await propose(given.actor.headers)) ?? (await propose({})) ?? '';
  return { it, ...aHook(matrix, given) };
};
const aSession = async ({ t }: Matrix, { n }: Given): Promise<Names> => {
  const call = { agent: 'claude', session: `told ${n}`, key: 'k', program: 'claude', tool: 'Any', arguments: {} };
  const { body } = await t.api<{ approval?: { link: string } }>('POST', '/worlds/alpha/external/calls', call);
  return { it: /chat_[^?]+/.exec(body.approval?.link ?? '')?.[0] ?? '' };
};
const aCall = async (matrix: Matrix): Promise<Names & { it: string; in: string }> => {
  // `approvals approve --scope always` added a rule, so that the next call wouldn't wait.
  await setRules(matrix);
  const { chat, approval } = await matrix.ask();
  return { it: approval, in: chat };
};
const aGrant = async (matrix: Matrix): Promise<Names> => {
  const { t } = matrix;
  const { it, in: chat } = await aCall(matrix);
  const { callHash } = (await t.api<{ callHash: string }>('GET', `/worlds/alpha/approvals/${it}`)).body;
  const decision = { tool_call_id: it, decision: 'approve', callHash, scope: 'session', pattern: '*' };
  await t.api('POST', '/worlds/alpha/tool-results', decision);
  return await until(async () => {
    const { status } = (await t.api<{ status: string }>('GET', `/worlds/alpha/chats/${chat}`)).body;
    const { items } = (await t.api<{ items: { grantId: string; chatId: string }[] }>('GET', '/worlds/alpha/grants'))
      .body;
    const grant = items.find(({ chatId }) => chatId === chat);
    return status === 'idle' && grant !== undefined ? { it: grant.grantId } : undefined;
  }, 'the call has run with a grant');
};
const aDelegation = async ({ t, actors }: Matrix): Promise<Names> => {
  const { headers } = actors.find(({ who }) => who === "owner's token with read, chat, sign, admin") ?? {};
  const { body, text } = await t.api<{ id?: string }>('POST', '/me/delegations', { to: 'otto', until: SOON }, headers);
  if (body.id === undefined) throw new Error(text);
  return { it: body.id };
};

const aSchedule = async ({ t, actors, chat: chatId }: Matrix): Promise<Names> => {
  const { headers } = actors.find(({ who }) => who === "owner's token with read, chat") ?? {};
  const body = { chatId, content: 'morning', at: SOON };
  const made = await t.api<{ id?: string }>('POST', '/worlds/alpha/schedules', body, headers);
  if (made.body.id === undefined) throw new Error(made.text);
  return { it: made.body.id };
};

/** Every command has at least one row. */
export const COMMANDS: readonly CommandRow[] = [
  { command: 'serve', needs: 'local' },
  { command: 'open', needs: 'start', words: '--no-open' },
  { command: 'chat', needs: 'read, chat', words: `${W} --new hello`, allowed: 'waits' },
  { command: 'tui', needs: 'read, chat', words: W, inTerminal: true },

  { command: 'approvals list', needs: 'read', words: W },
  { command: 'approvals show', needs: 'read', words: `{approval} ${W}` },
  { command: 'approvals show', what: 'revealed', needs: 'sign', words: `{approval} --reveal ${W}` },
  { command: 'approvals watch', needs: 'read', words: W, allowed: 'waits' },
  { command: 'approvals approve', needs: 'sign', words: `{it} --yes --detach ${W}`, prepare: aCall },
  {
    command: 'approvals approve',
    what: 'always',
    needs: 'sign, administer',
    words: `{it} --scope always --yes --detach ${W}`,
    prepare: aCall,
  },
  { command: 'approvals batch', needs: 'sign', words: `{it} {approval} --yes ${W}`, prepare: aCall, allowed: 2 },
  { command: 'approvals answer', needs: 'read, chat', words: `{it} yes --detach ${W}`, prepare: aQuestion },
  { command: 'approvals deny', needs: 'sign', words: `{it} --detach ${W}`, prepare: aCall },

  { command: 'worlds list', needs: 'account', words: '' },
  { command: 'worlds show', needs: 'read', words: 'alpha' },
  { command: 'worlds add', needs: 'server', words: 'new-{n}' },
  { command: 'worlds edit', needs: 'administer', words: 'alpha --description changed' },
  { command: 'worlds edit', what: 'with a root', needs: 'administer, server', words: 'alpha --root {home}' },
  { command: 'worlds remove', needs: 'administer', words: '{it} --yes', prepare: aWorld, isElsewhere: true },

  { command: 'agents list', needs: 'read', words: W },
  { command: 'agents show', needs: 'read', words: `ada ${W}` },
  { command: 'agents add', needs: 'administer', words: `new-{n} --provider scripted --model any ${W}` },
  {
    command: 'agents add',
    what: 'outside the sandbox',
    needs: 'administer, server, sign',
    words: `new-{n} --command /bin/true ${W}`,
  },
  { command: 'agents edit', needs: 'administer', words: `ada --temperature 1 ${W}` },
  { command: 'agents memory', needs: 'read', words: `ada -c {chat} ${W}` },
  { command: 'agents remove', needs: 'administer', words: `{it} --yes ${W}`, prepare: anAgent },

  { command: 'chats list', needs: 'read', words: W },
  { command: 'chats show', needs: 'read', words: `{chat} ${W}` },
  { command: 'chats add', needs: 'chat', words: W },
  { command: 'chats edit', needs: 'chat', words: `{chat} --title Changed ${W}` },
  { command: 'chats stop', needs: 'chat', words: `{it} ${W}`, prepare: aChat },
  { command: 'chats tell', needs: 'sign', words: `{it} Hurry ${W}`, prepare: aSession },
  { command: 'chats timeline', needs: 'read', words: `{chat} ${W}` },
  { command: 'chats attachment', needs: 'read', words: `{chat} none --out {home}/none ${W}`, allowed: 2 },
  { command: 'chats export', needs: 'read', words: `{chat} ${W}` },
  { command: 'chats branches', needs: 'read', words: `{chat} ${W}` },
  { command: 'chats branch', needs: 'chat', words: `{chat} none ${W}`, allowed: 2 },
  { command: 'chats remove', needs: 'chat', words: `{it} --yes ${W}`, prepare: aChat },
  { command: 'schedules list', needs: 'read', words: W },
  {
    command: 'schedules add',
    needs: 'read, chat, personal',
    words: `morning -c {chat} --at ${SOON} ${W}`,
  },
  { command: 'schedules pause', needs: 'chat', words: `{it} ${W}`, prepare: aSchedule },
  { command: 'schedules resume', needs: 'chat', words: `{it} ${W}`, prepare: aSchedule },
  { command: 'schedules remove', needs: 'chat', words: `{it} ${W}`, prepare: aSchedule },
  { command: 'search', needs: 'read', words: `hello ${W}` },
  { command: 'search', what: 'in all worlds', needs: 'look', words: 'hello --all' },

  { command: 'run', needs: 'chat', words: `${W} -- true`, prepare: aFolder, allowed: 'waits' },

  { command: 'grants list', needs: 'read', words: W },
  { command: 'grants remove', needs: 'sign', words: `{it} ${W}`, prepare: aGrant },
  { command: 'runs list', needs: 'read', words: W },
  { command: 'runs show', needs: 'read', words: `none ${W}`, allowed: 2 },
  { command: 'runs diff', needs: 'read', words: `none ${W}`, allowed: 2 },
  { command: 'runs apply', needs: 'read, chat', words: `none ${W}`, allowed: 2 },
  { command: 'runs ask', needs: 'read, sign', words: `none hello ${W}`, allowed: 2 },
  { command: 'runs select', needs: 'read', words: `none a ${W}`, allowed: 2 },
  { command: 'runs discard', needs: 'read, sign', words: `none --yes ${W}`, allowed: 2 },
  { command: 'undo', needs: 'sign', words: `none --yes ${W}`, allowed: 2 },
  { command: 'undo', what: 'the list', needs: 'read', words: W },
  { command: 'tools list', needs: 'read', words: W },
  { command: 'tools show', needs: 'read', words: `remove ${W}` },

  { command: 'mcp list', needs: 'read', words: W },
  { command: 'mcp show', needs: 'read', words: `{it} ${W}`, prepare: anOffServer },
  { command: 'mcp add', needs: 'administer', words: `new-{n} --server-url ${URL} --no-enabled ${W}` },
  {
    command: 'mcp add',
    what: 'a program',
    needs: 'administer, server, sign',
    words: `new-{n} nothing-to-start --no-enabled ${W}`,
  },
  { command: 'mcp edit', needs: 'administer', words: `{it} --trusted ${W}`, prepare: anOffServer },
  { command: 'mcp context', needs: 'chat', words: `{it} ${W}`, prepare: anOffServer },
  { command: 'mcp prompt', needs: 'chat', words: `{it} none ${W}`, prepare: anOffServer, allowed: 1 },
  { command: 'mcp resource', needs: 'chat', words: `{it} none:/ ${W}`, prepare: anOffServer, allowed: 1 },
  {
    command: 'mcp import',
    needs: 'administer',
    words: `- ${W}`,
    input: `{"mcpServers":{"imported":{"type":"http","url":"${URL}"}}}`,
  },
  { command: 'mcp test', needs: 'administer', words: `{it} ${W}`, prepare: anOffServer, allowed: 1 },
  { command: 'mcp log', needs: 'read', words: `{it} ${W}`, prepare: anOffServer },
  { command: 'mcp restart', needs: 'administer', words: `{it} ${W}`, prepare: server({}), allowed: 'waits' },
  { command: 'mcp login', needs: 'administer', words: `{it} --no-open ${W}`, prepare: anOffServer, allowed: 'waits' },
  { command: 'mcp logout', needs: 'administer', words: `{it} ${W}`, prepare: anOffServer },
  { command: 'mcp remove', needs: 'administer', words: `{it} --yes ${W}`, prepare: anOffServer },
  { command: 'mcp-gateway', needs: 'propose', words: W, isAgents: true },
  {
    command: 'mcp-gateway add',
    needs: 'administer, credential, propose',
    words: `new-{n} --tools remove --home {home} ${W}`,
  },

  { command: 'gate install', needs: 'administer, credential, propose', words: `claude --yes --home {home} ${W}` },
  {
    command: 'gate here',
    needs: 'administer, credential, propose',
    words: `claude --yes --home {hooks} ${W}`,
    prepare: aGatedHome,
    allowed: 2,
  },
  { command: 'gate uninstall', needs: 'local' },
  { command: 'gate status', needs: 'local' },
  { command: 'gate exec', needs: 'propose', words: '{it} --home {hooks}', prepare: anAllowedCall, refused: 126 },
  {
    command: 'gate hook',
    needs: 'propose',
    words: '--agent codex --home {hooks}',
    input: '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Any","tool_use_id":"{n}","tool_input":{}}',
    prepare: anAllowedTool,
    refused: 2,
    retries: true,
  },
  { command: 'drill', needs: 'local' },
  { command: 'drill run', needs: 'local' },

  { command: 'policy show', needs: 'read', words: W },
  { command: 'policy edit', needs: 'administer', words: `--file - --yes ${W}`, input: 'deny nothing' },
  { command: 'policy add', needs: 'administer', words: `{rule} --yes ${W}` },
  {
    command: 'policy add',
    what: 'to reach a private address',
    needs: 'administer, server',
    words: `{private} --yes ${W}`,
  },
  { command: 'policy remove', needs: 'administer', words: `{it} --yes ${W}`, prepare: aRule },
  { command: 'policy check', needs: 'read', words: `remove ${W}`, allowed: 3 },
  { command: 'policy check', what: 'with a rehearsal', needs: 'sign', words: `remove --rehearse ${W}`, allowed: 2 },
  { command: 'policy matches', needs: 'read', words: `{rule} -c {chat} ${W}` },
  { command: 'policy suggest', needs: 'administer', words: W },
  { command: 'policy uses', needs: 'read', words: W },
  { command: 'policy replay', needs: 'administer, sign', words: W },

  { command: 'audit list', needs: 'read', words: W },
  { command: 'audit list', what: 'of the server', needs: 'server', words: '--server' },
  { command: 'audit verify', needs: 'read', words: W },
  { command: 'audit verify', what: 'of the server', needs: 'server', words: '--server' },
  { command: 'audit head', needs: 'read', words: `--home {home} ${W}` },
  { command: 'audit key', needs: 'local' },
  { command: 'audit original', needs: 'sign', words: `none ${W}`, allowed: 2 },
  { command: 'audit export', needs: 'read', words: W },
  { command: 'audit export', what: 'of the server', needs: 'server', words: '--server' },
  { command: 'stats', needs: 'read', words: W },

  { command: 'providers list', needs: 'look', words: '' },
  {
    command: 'providers add',
    needs: 'server',
    words: 'vllm --name new-{n} --base-url http://127.0.0.1:9 --no-test',
  },
  { command: 'providers edit', needs: 'server', words: 'box --name box' },
  { command: 'providers remove', needs: 'server', words: '{it} --yes', prepare: aProvider },
  { command: 'providers test', needs: 'server', words: 'box', allowed: 1 },
  { command: 'providers models', needs: 'look', words: 'box', allowed: 1 },

  { command: 'people list', needs: 'look', words: '' },
  { command: 'people add', needs: 'server, credential', words: 'new-{n} --role viewer' },
  { command: 'people add', what: 'who signs', needs: 'server, sign', words: 'new-{n} --role approver --no-invite' },
  { command: 'people edit', needs: 'server', words: 'vera --name Vera' },
  { command: 'people edit', what: 'an owner', needs: 'owners', words: 'otto --name Otto' },
  { command: 'people invite', needs: 'server, credential', words: 'vera' },
  { command: 'people disable', needs: 'server', words: '{it}', prepare: aPerson },
  { command: 'people remove', needs: 'server', words: '{it} --yes', prepare: aPerson },
  { command: 'people delegate', needs: 'look, delegate', words: `otto --until ${SOON}` },
  { command: 'people delegations', needs: 'look', words: '' },
  { command: 'people undelegate', needs: 'look, own', words: '{it}', prepare: aDelegation, isElsewhere: true },
  { command: 'people keys', needs: 'server', words: '' },
  { command: 'people reset-passkeys', needs: 'local' },

  { command: 'groups list', needs: 'look', words: '' },
  { command: 'groups set', needs: 'server', words: 'crew' },
  { command: 'groups remove', needs: 'server', words: '{it} --yes', prepare: aGroup },

  { command: 'webhooks list', needs: 'server', words: '' },
  { command: 'webhooks add', needs: 'server', words: 'https://127.0.0.1/x', allowed: 2 },
  { command: 'webhooks edit', needs: 'server', words: 'none --pause', allowed: 2 },
  { command: 'webhooks remove', needs: 'server', words: 'none --yes', allowed: 2 },
  { command: 'webhooks deliveries', needs: 'server', words: 'none', allowed: 2 },
  { command: 'webhooks replay', needs: 'server', words: 'none', allowed: 2 },

  { command: 'tokens list', what: 'own', needs: 'account', words: '' },
  { command: 'tokens list', needs: 'server', words: '--person vera' },
  { command: 'tokens add', what: 'own', needs: 'credential', words: 'new --scopes read' },
  { command: 'tokens add', needs: 'server, credential', words: 'new --scopes read --person vera' },
  { command: 'tokens revoke', needs: 'server', words: '{it} --person vera', prepare: aToken },
  { command: 'sessions list', what: 'own', needs: 'look', words: '' },
  { command: 'sessions list', needs: 'server', words: '--person vera' },
  { command: 'sessions end', what: 'own', needs: 'own', words: '--all' },
  { command: 'sessions end', needs: 'server', words: '--all --person vera' },

  { command: 'import', needs: 'server', words: '-', input: 'countersign: 1\nname: Imported\n' },
  { command: 'export', needs: 'read', words: 'alpha' },
  { command: 'migrate', needs: 'local' },
  { command: 'verify', needs: 'local' },
  { command: 'doctor', needs: 'local' },
  { command: 'model', needs: 'local' },
  { command: 'completion', needs: 'local' },
];
