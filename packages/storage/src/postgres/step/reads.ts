import type { CallKeys, ChatState, StepNeeds, StepReads } from '@countersign/core/ports';
import type { ClientRow } from '../../queries/clients.js';
import type { FoundRow } from '../../queries/grants.js';
import { fromStored, readText } from '../../text.js';
import { toApproval } from '../../verbs/approvals.js';
import { toChat } from '../../verbs/chats.js';
import { toClient } from '../../verbs/clients.js';
import { toFoundGrant } from '../../verbs/grants.js';
import { toInvocation } from '../../verbs/invocations.js';
import { toTool } from '../../verbs/mcp-servers.js';
import { toMessage } from '../../verbs/messages.js';
import { toCredential, toGroup, toPerson } from '../../verbs/people.js';
import { toTurn } from '../../verbs/turns.js';
import type { CachedChat, ChatCache, CachedClient } from './chat-cache.js';
import { cellsOfCall, type Loaded, type Rows } from './load.js';

/** Thrown when a step that uses cached state has to load from the database. */
export class NotLoaded extends Error {}

export interface GivenReads extends StepReads {
  /** Whether the data is from the cache. Another process may have written since. */
  readonly isCached: boolean;
  /** Number of working turns that the step assumed. The append corrects its events. */
  readonly assumedWorking: number | undefined;
  /** The chats that the step has read, with the versions that the append checks. */
  readonly given: ReadonlyMap<string, CachedChat>;
  readonly givenClients: ReadonlyMap<string, CachedClient>;
  /** The version of the people and groups that the append checks. Undefined if the step doesn't read them. */
  readonly givenPeople: string | null | undefined;
}

/** Reads from loaded data. */
export function readsOf(
  loaded: Loaded,
  needs: StepNeeds,
  chats: ReadonlyMap<string, CachedChat>,
  clients: ReadonlyMap<string, CachedClient>,
  foreign: ReadonlySet<string>,
): GivenReads {
  const tools = new Map(read(loaded.mcpTools, toTool).map((tool) => [tool.name, tool]));
  const pending = read(loaded.pendingOf, ([chatId, waiting]: [string, number]) => ({ chatId, waiting }));
  const [sent] = read(loaded.sent === undefined || loaded.sent === null ? null : [loaded.sent], toMessage);
  const keyOf = (call: CallKeys): string => JSON.stringify(cellsOfCall(call));
  const calls = new Map(
    (needs.calls ?? []).map((call, index) => {
      const [grants, isUnknown] = loaded.calls?.[index] ?? [null, false];
      return [keyOf(call), { grants: read(grants, (row: FoundRow) => toFoundGrant(call, row)), isUnknown }];
    }),
  );

  return {
    now: loaded.now,
    isCached: false,
    assumedWorking: undefined,
    given: chats,
    givenClients: clients,
    givenPeople: loaded.people?.[0],
    worldRev: loaded.rev ?? undefined,
    wroteElsewhere: (id) => foreign.has(id),
    chat: (id) => chats.get(id)?.state,
    working: () => loaded.working,
    client: (id) => clients.get(id)?.client,
    hasAsker: () => loaded.asker === true,
    mcpTool: (name) => tools.get(name),
    people: () => ({
      people: read(loaded.people?.[1], toPerson),
      groups: read(loaded.people?.[2], toGroup),
      passkeys: read(loaded.people?.[3], toCredential),
      delegations: read(loaded.people?.[4], toCredential),
    }),
    grants: (call) => calls.get(keyOf(call))?.grants ?? [],
    outcomeUnknown: (call) => calls.get(keyOf(call))?.isUnknown === true,
    pendingOf: (agentId) => (agentId === needs.pendingOf ? pending : []),
    sent: (chatId, clientMessageId) =>
      sent?.chatId === chatId && sent.clientMessageId === clientMessageId ? sent : undefined,
  };
}

/** Reads from the cache. Undefined if it is known in advance that the step needs more. */
export function cachedReads(worldId: string, needs: StepNeeds, cache: ChatCache, now: number): GivenReads | undefined {
  const worldRev = cache.rev(worldId);
  const { clients = [], mcpTools = [], calls = [] } = needs;
  if (worldRev === undefined || mcpTools.length > 0 || needs.people === true) return undefined;
  const given = new Map<string, CachedChat>();
  for (const id of needs.chats) {
    const chat = cache.chat(id);
    if (chat === undefined) return undefined;
    given.set(id, chat);
  }
  const givenClients = new Map<string, CachedClient>();
  for (const id of clients) {
    const client = cache.client(id);
    if (client === undefined) return undefined;
    givenClients.set(id, client);
  }
  for (const { chatId } of calls) {
    const chat = given.get(chatId);
    if (chat === undefined || chat.hasGrants || chat.hasUnknown) return undefined;
  }
  let assumedWorking: number | undefined;
  return {
    now,
    isCached: true,
    wroteElsewhere: () => false,
    worldRev,
    get assumedWorking() {
      return assumedWorking;
    },
    given,
    givenClients,
    givenPeople: undefined,
    chat: (id) => given.get(id)?.state,
    working: () => (assumedWorking = 0),
    client: (id) => givenClients.get(id)?.client,
    hasAsker: notLoaded,
    mcpTool: notLoaded,
    people: notLoaded,
    grants: () => [],
    outcomeUnknown: () => false,
    // The append enforces the limit. If it is reached, the step is decided again, using loaded data.
    pendingOf: () => [],
    // If the message was already sent, the unique key rejects it, and the step is decided again, using loaded data.
    sent: () => undefined,
  };
}

function notLoaded(): never {
  throw new NotLoaded('A step read data that this process has not cached.');
}

/** The requested clients, including missing ones. */
export function clientsOf(loaded: Loaded, { clients = [] }: StepNeeds): Map<string, CachedClient> {
  const found = new Map<string, CachedClient>(clients.map((id) => [id, { client: undefined, version: null }]));
  for (const [version, cells] of loaded.clients ?? []) {
    const client = toClient(readText(cells) as readonly unknown[] as ClientRow);
    found.set(client.id, { client, version });
  }
  return found;
}

/** The states of the loaded chats. */
export function chatsOf(loaded: Loaded): Map<string, CachedChat> {
  const states = statesOf(loaded);
  const chats = new Map<string, CachedChat>();
  for (const [stored, version, hasGrants, hasUnknown] of loaded.versions ?? []) {
    const id = fromStored(stored);
    const state = states.get(id);
    if (state !== undefined) chats.set(id, { state, version, hasGrants, hasUnknown });
  }
  return chats;
}

function statesOf(loaded: Loaded): Map<string, ChatState> {
  const states = new Map<string, ChatState>();
  for (const chat of read(loaded.chats, toChat)) {
    states.set(chat.id, { chat, turns: new Map(), calls: new Map(), approvals: new Map(), startedTurns: new Map() });
  }
  for (const turn of read(loaded.turns, toTurn)) states.get(turn.chatId)?.turns.set(turn.id, turn);
  for (const call of read(loaded.invocations, toInvocation)) states.get(call.chatId)?.calls.set(call.id, call);
  for (const approval of read(loaded.approvals, toApproval)) {
    states.get(approval.chatId)?.approvals.set(approval.id, approval);
  }
  const started = read(loaded.started, (row: [chatId: string, agentId: string, count: number]) => row);
  for (const [chatId, agentId, count] of started) states.get(chatId)?.startedTurns.set(agentId, count);
  return states;
}

/** Rows are arrays of cells in select order. */
function read<Row extends readonly unknown[], T>(rows: Rows | undefined, to: (row: Row) => T): T[] {
  return rows?.map((row) => to(readText(row) as readonly unknown[] as Row)) ?? [];
}
