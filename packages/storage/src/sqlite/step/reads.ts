import {
  partsOf,
  type CallKeys,
  type ChatState,
  type ClientRecord,
  type McpToolRecord,
  type MessageRecord,
  type StepReads,
} from '@countersign/core/ports';
import type { Statements } from '../../statements.js';
import { toClient } from '../../verbs/clients.js';
import { toFoundGrant } from '../../verbs/grants.js';
import { toTool } from '../../verbs/mcp-servers.js';
import { toMessage } from '../../verbs/messages.js';
import { toCredential, toFound, toGroup, toPerson } from '../../verbs/people.js';
import type { SqliteConnection } from '../connection.js';
import type { CachedChat, StateCache } from './chat-cache.js';
import { chatLoader } from './load.js';

export interface SqliteReads extends StepReads {
  /** Starts a step in this world. */
  begin(worldId: string, now: number): void;
  /** Chats whose state this step has read, by id. */
  readonly given: ReadonlyMap<string, CachedChat>;
}

/**
 * Reads for steps: from the cache, otherwise from the database; through `folded` if pending entries may change the result. One shared
 * object, because steps are never interleaved.
 */
export function sqliteReads(
  on: SqliteConnection,
  folded: SqliteConnection,
  s: Statements,
  cache: StateCache,
  sentLately: (chatId: string, clientMessageId: string) => MessageRecord | undefined,
): SqliteReads {
  const load = chatLoader(folded, s);
  const revOf = on.first(s.worldRev, ([rev]) => rev);
  const workingIn = folded.first(s.countWorking, ([count]) => count);
  const client = on.first(s.client, toClient);
  const asker = on.first(s.asker, ([id]) => id);
  const mcpTool = on.first(s.mcpTool, toTool);
  const people = on.all(s.people, toPerson);
  const groups = on.all(s.groups, toGroup);
  const passkeys = on.all(s.passkeys, (row) => toFound(row).credential);
  const delegations = on.all(s.delegations, toCredential);
  const grants = folded.all(s.grants, (row) => row);
  const anyGrant = on.first(s.anyGrant, ([id]) => id);
  const unknown = folded.first(s.outcomeUnknown, ([id]) => id);
  const anyUnknown = folded.first(s.anyUnknown, ([id]) => id);
  const pendingOf = folded.all(s.pendingOfAgent, (row) => row);
  const sent = on.first(s.messageByClientId, toMessage);

  let worldId = '';
  let now = 0;
  let given = new Map<string, CachedChat>();

  function chatOf(id: string): CachedChat | undefined {
    // Cached, because it is called many times in a step.
    const known = given.get(id);
    if (known !== undefined) return known;
    let chat = cache.chat(id);
    if (chat === undefined) {
      const state = load(id);
      if (state === undefined) return undefined;
      chat = cache.keep(state);
    }
    given.set(id, chat);
    return chat;
  }

  return {
    begin(ofWorld, at) {
      worldId = ofWorld;
      now = at;
      given = new Map();
      cache.trim();
    },
    get given() {
      return given;
    },
    get now() {
      return now;
    },
    get worldRev() {
      const world = cache.world(worldId);
      world.rev ??= revOf({ id: worldId }) ?? null;
      return world.rev ?? undefined;
    },
    wroteElsewhere: () => false,
    chat: (id): ChatState | undefined => chatOf(id)?.state,
    working() {
      const world = cache.world(worldId);
      world.working ??= workingIn({ worldId }) ?? 0;
      return world.working;
    },
    client(id) {
      const world = cache.world(worldId);
      if (world.noClient === id) return undefined;
      const found = once((world.clients ??= new Map<string, ClientRecord>()), id, () => client({ id }));
      if (found === undefined) world.noClient = id;
      return found;
    },
    hasAsker() {
      const world = cache.world(worldId);
      world.hasAsker ??= asker({ worldId }) !== undefined;
      return world.hasAsker;
    },
    mcpTool(name) {
      const known = (cache.world(worldId).mcpTools ??= new Map<string, McpToolRecord>());
      return once(known, name, () => mcpTool({ worldId, name }));
    },
    people: () => ({
      people: people({}),
      groups: groups({}),
      passkeys: passkeys({}),
      delegations: delegations({}),
    }),
    grants(call: CallKeys) {
      const { chatId, agentId, toolName } = call;
      const chat = chatOf(chatId);
      if (chat === undefined) return [];
      chat.hasGrants ??= anyGrant({ chatId }) !== undefined;
      if (!chat.hasGrants) return [];
      const [key, otherKey] = call.keys;
      const rows = grants({ chatId, agentId, toolName, key, otherKey });
      return rows.map((row) => toFoundGrant(call, row));
    },
    outcomeUnknown({ chatId, toolName, argumentsText }: CallKeys) {
      const chat = chatOf(chatId);
      if (chat === undefined) return false;
      // Otherwise, a branch would run a call again without approval that may have run in a chat it begins with.
      const begun = partsOf(chat.state.chat).map((part) => part.chatId);
      if (begun.some((id) => unknown({ chatId: id, toolName, arguments: argumentsText }) !== undefined)) return true;
      chat.hasUnknown ??= anyUnknown({ chatId }) !== undefined;
      return chat.hasUnknown && unknown({ chatId, toolName, arguments: argumentsText }) !== undefined;
    },
    pendingOf(agentId) {
      const waiting = [...cache.pending(worldId, agentId, pendingOf)];
      return waiting.map(([chatId, count]) => ({ chatId, waiting: count })).sort(byWaiting);
    },
    sent: (chatId, clientMessageId) => sentLately(chatId, clientMessageId) ?? sent({ chatId, clientMessageId }),
  };
}

/** Reads each key once. Missing keys are not cached: clients could query any number of them. */
function once<T>(known: Map<string, T>, key: string, read: () => T | undefined): T | undefined {
  const found = known.get(key) ?? read();
  if (found !== undefined) known.set(key, found);
  return found;
}

interface Waiting {
  chatId: string;
  waiting: number;
}

function byWaiting(one: Waiting, other: Waiting): number {
  return other.waiting - one.waiting || (one.chatId < other.chatId ? -1 : 1);
}
