import type { CallKeys, StepNeeds } from '@countersign/core/ports';
import { foundGrantColumns } from '../../queries/grants.js';
import {
  approvals,
  chats,
  clients,
  credentials,
  invocations,
  mcpTools,
  messages,
  people,
  peopleGroups,
  turns,
} from '../../schema.js';
import { toStored } from '../../text.js';
import { PEOPLE_VERSION, versionOf } from '../append-function.js';
import { namedQuery, type Query } from './query.js';

/** The data that a step reads, as returned by the database: rows are arrays of cells. Null if there are none. */
export interface Loaded {
  now: number;
  rev: number | null;
  working: number;
  chats: Rows;
  /** For each chat: its id, version, whether it has grants, and whether it has calls with unknown outcome. */
  versions: [id: string, version: string, hasGrants: boolean, hasUnknown: boolean][] | null;
  turns: Rows;
  invocations: Rows;
  approvals: Rows;
  started: Rows;
  clients?: [version: string, cells: unknown[]][] | null;
  asker?: boolean;
  mcpTools?: Rows;
  /** For each call in the step, in order: its grants, and whether its outcome is unknown. */
  calls?: [grants: Rows, isUnknown: boolean][];
  pendingOf?: Rows;
  /** The version of the people, groups, passkeys and delegations, and their rows. */
  people?: [version: string | null, people: Rows, groups: Rows, passkeys: Rows, delegations: Rows];
  sent?: unknown[] | null;
}
export type Rows = unknown[][] | null;

/** Loads everything that a step reads in one statement, for a consistent snapshot. */
export function loadQuery(worldId: string, needs: StepNeeds): Query {
  const parts = partsOf(needs);
  const shape = parts.map(({ part }) => part).join();
  const text = texts.get(shape) ?? [BASE, ...parts.map(({ part, at }) => PARTS[part](at))].join();
  texts.set(shape, text);
  return namedQuery(text, [toStored(worldId), needs.chats.map(toStored), ...parts.flatMap(({ values }) => values)]);
}

/** Cached per set of needs. */
const texts = new Map<string, string>();

interface Part {
  part: keyof typeof PARTS;
  /** The number of the part's first parameter. */
  at: number;
  values: unknown[];
}

function partsOf(needs: StepNeeds): Part[] {
  const parts: Part[] = [];
  let at = 3;
  const add = (part: Part['part'], ...values: unknown[]): void => {
    parts.push({ part, at, values });
    at += values.length;
  };
  const { clients = [], mcpTools = [], calls = [], pendingOf, sent } = needs;
  if (clients.length > 0) add('clients', clients.map(toStored));
  if (needs.asker === true) add('asker');
  if (mcpTools.length > 0) add('mcpTools', mcpTools.map(toStored));
  if (calls.length > 0) {
    const wanted = calls.map((call) => cellsOfCall(call).map(toStored));
    add('calls', ...Array.from({ length: 6 }, (_, index) => wanted.map((call) => call[index])));
  }
  if (needs.people === true) add('people');
  if (pendingOf !== undefined) add('pendingOf', toStored(pendingOf));
  if (sent !== undefined) add('sent', toStored(sent.chatId), toStored(sent.clientMessageId));
  return parts;
}

/** The keys for finding the grants and unknown outcomes of a call. */
export function cellsOfCall({ chatId, agentId, toolName, argumentsText, keys }: CallKeys): string[] {
  return [chatId, agentId, toolName, argumentsText, ...keys];
}

function cells(table: string, columns: readonly string[]): string {
  return `json_build_array(${columns.map((column) => `${table}.${column}`).join()})`;
}

/** Rows of a table that belong to the step's chats. */
function ofChats(table: string, columns: readonly string[], from: string, order: string): string {
  return `(select json_agg(${cells('r', columns)} order by ${order}) from chats c ${from} where c.id = any($2::text[])) as ${table}`;
}

/** Must match the condition of the partial index on unfinished turns. */
function unfinished(as: string): string {
  return `join turns ${as} on ${as}.world_id = c.world_id and ${as}.chat_id = c.id
    and ${as}.state <> 'ended' and ${as}.state in ('open', 'waiting', 'queued')`;
}

const BASE = `select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now,
  (select rev from worlds where id = $1::text and deleted_at is null) as rev,
  (select count(*) from turns where state <> 'ended' and world_id = $1::text and state in ('open', 'queued')) as working,
  (select json_agg(${cells('c', chats.names)}) from chats c where c.id = any($2::text[])) as chats,
  (select json_agg(json_build_array(c.id, ${versionOf('c.xmin')},
    exists (select 1 from grants g where g.chat_id = c.id and g.revoked_at is null),
    c.parts is not null or exists (select 1 from invocations i where i.outcome_unknown = 1 and i.chat_id = c.id))) from chats c
    where c.id = any($2::text[])) as versions,
  ${ofChats('turns', turns.names, unfinished('r'), 'r.created_at, r.trigger_seq, r.id')},
  ${ofChats('invocations', invocations.names, `${unfinished('t')} join invocations r on r.turn_id = t.id and r.iteration = t.iteration`, 'r.position')},
  ${ofChats('approvals', approvals.names, `join approvals r on r.world_id = c.world_id and r.chat_id = c.id and r.status = 'pending'`, 'r.ordinal')},
  (select json_agg(json_build_array(b.chat_id, b.agent_id, b.count)) from (
    select c.id as chat_id, a.id as agent_id, (
      select count(*) from turns t where t.chat_id = c.id and t.agent_id = a.id and t.trigger_seq >= c.human_seq
        and t.begun_seq is not null and coalesce(t.outcome, '') <> 'silent') as count
    from chats c join agents a on a.world_id = c.world_id where c.id = any($2::text[])
  ) b where b.count > 0) as started`;

const PARTS = {
  clients: (at: number) =>
    `(select json_agg(json_build_array(${versionOf('r.xmin')}, ${cells('r', clients.names)})) from clients r where r.id = any($${at}::text[])) as clients`,
  asker: () =>
    `exists (select 1 from clients where world_id = $1::text and approvals = 1 and left_at is null) as asker`,
  mcpTools: (at: number) =>
    `(select json_agg(${cells('r', mcpTools.names)}) from mcp_tools r
      where r.world_id = $1::text and r.name = any($${at}::text[])) as "mcpTools"`,
  calls: (at: number) =>
    `(select json_agg(json_build_array(
      (select json_agg(${cells('r', foundGrantColumns)} order by r.ordinal) from grants r
        where r.revoked_at is null and r.chat_id = k.chat and r.agent_id = k.agent and r.tool_name = k.tool
          and r.pattern_key in ('', k.key, k.other)),
      exists (select 1 from invocations i
        where i.outcome_unknown = 1 and i.chat_id in (select k.chat union all select p->>'chatId' from chats c
          cross join json_array_elements(c.parts::json) p where c.id = k.chat) and i.tool_name = k.tool and i.arguments = k.arguments)
    ) order by k.position) from unnest(${[0, 1, 2, 3, 4, 5].map((nth) => `$${at + nth}::text[]`).join()}) with ordinality
      as k (chat, agent, tool, arguments, key, other, position)) as calls`,
  people: () =>
    `json_build_array(${PEOPLE_VERSION},
      (select json_agg(${cells('r', people.names)} order by r.ordinal) from people r),
      (select json_agg(${cells('r', peopleGroups.names)} order by r.name) from people_groups r),
      (select json_agg(${cells('r', credentials.names)} order by r.ordinal) from credentials r
        where r.kind = 'passkey' and r.ended_at is null),
      (select json_agg(${cells('r', credentials.names)} order by r.ordinal) from credentials r
        where r.kind = 'delegation' and r.ended_at is null)) as people`,
  pendingOf: (at: number) =>
    `(select json_agg(json_build_array(p.chat_id, p.waiting) order by p.waiting desc, p.chat_id) from (
      select chat_id, count(*) as waiting from approvals
      where status = 'pending' and world_id = $1::text and agent_id = $${at}::text group by chat_id) p) as "pendingOf"`,
  sent: (at: number) =>
    `(select ${cells('r', messages.names)} from messages r
      where r.chat_id = $${at}::text and r.client_message_id = $${at + 1}::text) as sent`,
};
