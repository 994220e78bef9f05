import type { CallKeys, ChatState, StepNeeds, StepReads } from '@countersign/core/ports';
import type { FoundRow } from '../../queries/grants.js';
import { readText } from '../../text.js';
import { toApproval } from '../../verbs/approvals.js';
import { toChat } from '../../verbs/chats.js';
import { toClient } from '../../verbs/clients.js';
import { toFoundGrant } from '../../verbs/grants.js';
import { toInvocation } from '../../verbs/invocations.js';
import { toTool } from '../../verbs/mcp-servers.js';
import { toMessage } from '../../verbs/messages.js';
import { toTurn } from '../../verbs/turns.js';
import type { Loaded, Rows } from './load.js';

/** What was loaded, as a step reads it. The states of its chats are made for this step alone: it may change them. */
export function readsOf(loaded: Loaded, needs: StepNeeds): StepReads {
  const chats = statesOf(loaded);
  const clients = new Map(read(loaded.clients, toClient).map((client) => [client.id, client]));
  const tools = new Map(read(loaded.mcpTools, toTool).map((tool) => [tool.name, tool]));
  const pending = read(loaded.pendingOf, ([chatId, waiting]: [string, number]) => ({ chatId, waiting }));
  const [sent] = read(loaded.sent === undefined || loaded.sent === null ? null : [loaded.sent], toMessage);
  const calls = (needs.calls ?? []).map((call, index) => {
    const [grants, isUnknown] = loaded.calls?.[index] ?? [null, false];
    return { call, grants: read(grants, (row: FoundRow) => toFoundGrant(call, row)), isUnknown };
  });
  const found = (wanted: CallKeys) => calls.find(({ call }) => isSame(call, wanted));

  return {
    now: loaded.now,
    worldRev: loaded.rev ?? undefined,
    chat: (id) => chats.get(id),
    working: () => loaded.working,
    client: (id) => clients.get(id),
    hasAsker: () => loaded.asker === true,
    mcpTool: (name) => tools.get(name),
    grants: (call) => found(call)?.grants ?? [],
    outcomeUnknown: (call) => found(call)?.isUnknown === true,
    pendingOf: (agentId) => (agentId === needs.pendingOf ? pending : []),
    sent: (chatId, clientMessageId) =>
      sent?.chatId === chatId && sent.clientMessageId === clientMessageId ? sent : undefined,
  };
}

function statesOf(loaded: Loaded): Map<string, ChatState> {
  const states = new Map<string, ChatState>();
  for (const chat of read(loaded.chats, toChat)) {
    states.set(chat.id, { chat, turns: new Map(), calls: new Map(), approvals: new Map(), begun: new Map() });
  }
  for (const turn of read(loaded.turns, toTurn)) states.get(turn.chatId)?.turns.set(turn.id, turn);
  for (const call of read(loaded.invocations, toInvocation)) states.get(call.chatId)?.calls.set(call.id, call);
  for (const approval of read(loaded.approvals, toApproval)) {
    states.get(approval.chatId)?.approvals.set(approval.id, approval);
  }
  const begun = read(loaded.begun, (row: [chatId: string, agentId: string, count: number]) => row);
  for (const [chatId, agentId, count] of begun) states.get(chatId)?.begun.set(agentId, count);
  return states;
}

/** Rows as the database gives them are arrays of cells, in the order of the columns that were selected. */
function read<Row extends readonly unknown[], T>(rows: Rows | undefined, to: (row: Row) => T): T[] {
  return rows?.map((row) => to(readText(row) as readonly unknown[] as Row)) ?? [];
}

function isSame(one: CallKeys, other: CallKeys): boolean {
  return (
    one === other ||
    (one.chatId === other.chatId &&
      one.agentId === other.agentId &&
      one.toolName === other.toolName &&
      one.argumentsText === other.argumentsText &&
      one.keys[0] === other.keys[0] &&
      one.keys[1] === other.keys[1])
  );
}
