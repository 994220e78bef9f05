import { isRule, RUN_TOOL, type Signer } from '@countersign/protocol';
import { maskSecrets } from '../masking/index.js';
import type {
  AgentRecord,
  ApprovalRecord,
  ClientRecord,
  Emission,
  GrantRecord,
  McpServerRecord,
  McpToolRecord,
  NewAuditRecord,
  RowChange,
  ScheduleRecord,
  StoreTransaction,
  WorldRecord,
} from '../ports/index.js';

/** A person or program, or `system`, which has no device. */
export type Author = Pick<Signer, 'who'> & Partial<Signer>;

/** A program starts in a draft, or a person decides about it or selects a part of it. `words`: what a person asks the program to change. */
export interface RunFact {
  kind: 'run-started' | 'run-selected' | 'run-sent-back' | 'run-restarted' | 'run-discarded';
  run: string;
  agentId: string;
  program: readonly string[];
  words?: string;
  by: Signer;
}

/** Without `operation`, screens show no difference: a process takes a schedule that is due. Only what people decide is recorded. */
export interface ScheduleFact {
  kind: 'schedule-changed';
  row: { insert: ScheduleRecord } | { update: ScheduleRecord } | { remove: ScheduleRecord };
  operation?: Crud['operation'];
  decision?: 'created' | 'changed' | 'paused' | 'resumed' | 'deleted' | 'stopped';
  by?: Author;
}

/** Facts that change no chat. Some have no row: they are only recorded or published. */
export type WorldFact =
  /** With the agents of an imported file, if it comes from one. */
  | { kind: 'world-created'; world: NewWorldRow; agents: readonly NewAgentRow[] | undefined; by: Signer }
  | { kind: 'world-changed'; before: WorldRecord; after: WorldRecord; by: Signer }
  /** Deletes the world's chats and all their data. Its id stays reserved, and its audit log is kept. */
  | { kind: 'world-deleted'; worldId: string; by: Signer }
  | { kind: 'policy-set'; before: WorldRecord; after: Pick<WorldRecord, 'policy' | 'proposed'>; by: Signer }
  | { kind: 'agent-added'; agent: AgentRecord; by: Signer }
  | { kind: 'agent-changed'; before: AgentRecord; after: AgentRecord; by: Signer }
  | { kind: 'agent-removed'; worldId: string; agentId: string; by: Signer }
  | { kind: 'grant-revoked'; grant: GrantRecord; by: Author; why?: string }
  | { kind: 'client-registered'; client: ClientRecord; toolNames: readonly string[]; by: Signer | undefined }
  | { kind: 'client-left'; client: ClientRecord }
  /** Without `operation`, screens show no difference. `shown`: the definition without secrets. */
  | {
      kind: 'mcp-server-changed';
      name: string;
      operation?: Crud['operation'];
      row?: McpServerRow;
      decisions?: readonly McpDecision[];
      shown?: unknown;
      by?: Signer;
    }
  | {
      kind: 'mcp-tool-changed';
      tool: McpToolRecord;
      record?: { decision: 'accepted' | 'changed'; why?: string; by: Author };
    }
  /** Providers belong to no world, so each world records the change. `why` contains no key. */
  | { kind: 'providers-changed'; decision: `provider ${'added' | 'changed' | 'removed'}`; why: string; by: Signer }
  /** A program starts in a draft, or a person discards what it changed. */
  | RunFact
  | ScheduleFact
  /** Other people can now sign calls that wait. */
  | { kind: 'signers-changed'; approvals: readonly ApprovalRecord[] }
  /** A call was rehearsed to check the policy. The arguments are masked. */
  | { kind: 'policy-checked'; tool: string; arguments: unknown; by: Signer | undefined }
  /** An admin replayed the calls of the past under other rules. */
  | { kind: 'policy-replayed'; why: string; by: Signer }
  | { kind: 'decision-refused'; about: AboutCall; why: string; by: Signer }
  | { kind: 'secrets-revealed'; about: AboutCall & { decision?: 'original' }; by: Signer };

type McpDecision =
  | 'added'
  | 'changed'
  | 'removed'
  | 'restarted'
  | 'trusted'
  | 'no longer trusted'
  | `turned ${'on' | 'off'}`
  | `signed ${'in' | 'out'}`;
type McpServerRow =
  | { insert: McpServerRecord }
  /** Compare-and-set: nothing is written if someone else has changed the server. */
  | { before: McpServerRecord; after: Pick<McpServerRecord, 'definition' | 'sealed' | 'signIn'> }
  | { remove: Pick<McpServerRecord, 'worldId'> };

type NewWorldRow = Pick<WorldRecord, 'id' | 'name' | 'settings' | 'policy' | 'proposed'>;
type NewAgentRow = Pick<AgentRecord, 'id' | 'definition' | 'makers'>;
type AboutCall = Partial<
  Pick<NewAuditRecord, 'chatId' | 'agentId' | 'tool' | 'invocationId' | 'approvalId' | 'arguments'>
>;

/** Those that a step can write, because their rows are in its log. The others need a transaction. */
export type StepWorldFact = Extract<WorldFact, { kind: keyof typeof IN_STEPS }>;

const IN_STEPS = {
  'agent-added': true,
  'agent-removed': true,
  'world-deleted': true,
  'signers-changed': true,
  'policy-checked': true,
  'policy-replayed': true,
  'decision-refused': true,
  'secrets-revealed': true,
} satisfies { [K in WorldFact['kind']]?: true };

export function isOfWorld(fact: { kind: string }): fact is StepWorldFact {
  return fact.kind in IN_STEPS;
}

interface DerivedOfWorld {
  /** The rows that a step writes. */
  changes?: readonly RowChange[];
  /** Writes the row in a transaction. Returns false if there was none to change. */
  row?: (tx: StoreTransaction) => Promise<unknown>;
  records?: readonly NewAuditRecord[];
  events?: readonly Emission[];
}

/** The row, audit records and events of a fact. Pure; each change of a world is described only here. */
export function deriveWorld(fact: WorldFact): DerivedOfWorld {
  switch (fact.kind) {
    case 'world-created': {
      const { world, agents, by } = fact;
      const records = rules([], world.policy, by);
      if (agents === undefined) return { row: (tx) => tx.insertWorld(world), records };
      const why = `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}`;
      const ofAgents = agents.flatMap(({ id, definition }) => rules([], definition.policy, { agentId: id, ...by }));
      return {
        async row(tx) {
          await tx.insertWorld(world);
          for (const { id, definition, makers } of agents) await tx.insertAgent(world.id, id, definition, makers);
        },
        records: [...records, policy('world imported', { why, ...by }), ...ofAgents],
      };
    }
    case 'world-changed': {
      const { before, after, by } = fact;
      const { id, name, settings } = after;
      const { mode } = settings;
      return {
        row: (tx) => tx.updateWorld(id, { name, settings }),
        records: [
          ...(mode === before.settings.mode ? [] : [policy(`mode ${mode}`, by)]),
          ...changes('world changed', before.settings, settings, by),
        ],
        events: [crud('update', 'world', id)],
      };
    }
    case 'world-deleted':
      return {
        changes: [{ kind: fact.kind, worldId: fact.worldId }],
        records: [policy('world deleted', fact.by)],
        events: [crud('delete', 'world', fact.worldId)],
      };
    case 'policy-set': {
      const { before, after, by } = fact;
      const { policy: next, proposed } = after;
      return {
        row: (tx) => tx.updateWorld(before.id, { policy: next, proposed }),
        records: rules(before.policy, next, by),
        events: [crud('update', 'policy', before.id)],
      };
    }
    case 'agent-added': {
      const { worldId, id: agentId, definition, makers } = fact.agent;
      const { acp, tools } = definition;
      const command = acp === undefined ? '' : `; runs ${JSON.stringify(acp.command)} outside the sandbox`;
      const why = maskSecrets(`tools: ${tools.join(', ') || 'none'}${command}`);
      const about = { agentId, ...fact.by };
      return {
        changes: [{ kind: fact.kind, agent: fact.agent }],
        row: (tx) => tx.insertAgent(worldId, agentId, definition, makers),
        records: [policy('agent added', { why, ...about }), ...rules([], definition.policy, about)],
        events: [crud('create', 'agent', agentId)],
      };
    }
    case 'agent-changed': {
      const { before, after, by } = fact;
      const { worldId, id: agentId, definition } = after;
      const about = { agentId, ...by };
      return {
        row: (tx) => tx.updateAgent(worldId, agentId, definition),
        records: [
          ...changes('agent changed', before.definition, definition, about),
          ...rules(before.definition.policy, definition.policy, about),
        ],
        events: [crud('update', 'agent', agentId)],
      };
    }
    case 'agent-removed': {
      const { worldId, agentId, by } = fact;
      return {
        changes: [{ kind: fact.kind, worldId, agentId }],
        records: [policy('agent removed', { agentId, ...by })],
        events: [crud('delete', 'agent', agentId)],
      };
    }
    case 'grant-revoked': {
      const { grant, by, why } = fact;
      const { id, worldId, chatId, agentId, toolName: tool } = grant;
      const because = why === undefined ? {} : { why };
      return {
        // Increments `rev`, so that a call that is just starting is judged again.
        row: (tx) => tx.revokeGrant(worldId, id),
        records: [{ kind: 'grant', decision: 'revoked', chatId, agentId, tool, ...by, ...because }],
        events: [crud('delete', 'grant', id, chatId)],
      };
    }
    case 'client-registered': {
      const { id: client, label, approvals } = fact.client;
      const offers = fact.toolNames.join(', ') || 'no tools';
      const why = maskSecrets(`${label}: ${approvals ? 'approvals' : 'no approvals'}, ${offers}`);
      const by = fact.by === undefined ? {} : { who: fact.by.who, via: fact.by.via };
      return {
        row: (tx) => tx.insertClient(fact.client),
        records: [policy('client registered', { client, why, ...by })],
        events: [crud('create', 'client', client)],
      };
    }
    case 'client-left': {
      const { id: client, label } = fact.client;
      const records = [policy('client left', { client, why: maskSecrets(label) })];
      return { row: (tx) => tx.deleteClient(client), records, events: [crud('delete', 'client', client)] };
    }
    case 'mcp-server-changed': {
      const { name, operation, row, decisions = [], shown, by } = fact;
      const about = { arguments: shown, ...by };
      return {
        ...(row === undefined ? {} : { row: (tx) => writeMcpServer(tx, name, row) }),
        records: decisions.map((decision) => policy(`MCP server ${decision}`, about)),
        events: operation === undefined ? [] : [crud(operation, 'mcp-server', name)],
      };
    }
    case 'mcp-tool-changed': {
      const { tool, record } = fact;
      const { decision, by, ...why } = record ?? {};
      const about = { tool: tool.name, ...by, ...why };
      return {
        row: (tx) => tx.putMcpTool(tool),
        records: decision === undefined ? [] : [policy(`tool ${decision}`, about)],
      };
    }
    case 'providers-changed':
      return { records: [policy(fact.decision, { why: maskSecrets(fact.why), ...fact.by })] };
    case 'run-started':
    case 'run-selected':
    case 'run-sent-back':
    case 'run-restarted':
    case 'run-discarded': {
      const { kind, run, agentId, program, words, by } = fact;
      const more = words === undefined ? {} : { message: maskSecrets(words) };
      const shown = { run, program: program.map((word) => maskSecrets(word)), ...more };
      return { records: [policy(kind.replaceAll('-', ' '), { agentId, tool: RUN_TOOL, arguments: shown, ...by })] };
    }
    case 'schedule-changed': {
      const { row, operation, decision, by } = fact;
      const schedule = 'insert' in row ? row.insert : 'update' in row ? row.update : row.remove;
      const { id, chatId, personId: person, times, content } = schedule;
      const shown = { schedule: id, person, ...times, content: maskSecrets(content) };
      return {
        row: (tx) =>
          'insert' in row
            ? tx.insertSchedule(schedule)
            : 'update' in row
              ? tx.updateSchedule(schedule)
              : tx.deleteSchedule(schedule),
        records: decision === undefined ? [] : [policy(`schedule ${decision}`, { chatId, arguments: shown, ...by })],
        events: operation === undefined ? [] : [crud(operation, 'schedule', id, chatId)],
      };
    }
    case 'signers-changed':
      return { events: fact.approvals.map(({ id, chatId }) => crud('update', 'approval', id, chatId)) };
    case 'policy-checked': {
      const { tool, arguments: args, by } = fact;
      return { records: [{ kind: 'rehearsal', tool, arguments: args, why: 'to check the policy', ...by }] };
    }
    case 'policy-replayed':
      return { records: [policy('replayed', { why: fact.why, ...fact.by })] };
    case 'decision-refused':
      return { records: [{ kind: 'refusal', ...fact.about, ...fact.by, why: fact.why }] };
    case 'secrets-revealed':
      return { records: [{ kind: 'reveal', ...fact.about, ...fact.by }] };
  }
}

async function writeMcpServer(tx: StoreTransaction, name: string, row: McpServerRow): Promise<unknown> {
  if ('insert' in row) return await tx.insertMcpServer(row.insert);
  return 'remove' in row
    ? await tx.deleteMcpServer(row.remove.worldId, name)
    : await tx.updateMcpServer(row.before, row.after);
}

type Crud = Extract<Emission, { event: 'crud' }>['data'];

export function crud(
  operation: Crud['operation'],
  entity: Crud['entity'],
  id: string,
  chatId: string | null = null,
): Emission {
  return { event: 'crud', chatId, data: { operation, entity, id } };
}

function policy(decision: string, about: Partial<NewAuditRecord>): NewAuditRecord {
  return { ...about, kind: 'policy', decision };
}

/** Changes that affect what calls may do, such as an agent's tools. Rules and modes have their own records. */
function changes(decision: string, before: object, after: object, about: Partial<NewAuditRecord>): NewAuditRecord[] {
  const shown = (of: object, field: string): string => {
    const value: unknown = Reflect.get(of, field);
    return value === undefined ? 'unset' : JSON.stringify(value);
  };
  const changed = Object.keys({ ...before, ...after })
    .filter((field) => field !== 'policy' && field !== 'mode' && shown(before, field) !== shown(after, field))
    // Prompts are long, so only the fact that one changed is recorded.
    .map((field) =>
      field === 'systemPrompt' ? field : `${field} from ${shown(before, field)} to ${shown(after, field)}`,
    );
  return changed.length === 0 ? [] : [policy(decision, { why: maskSecrets(changed.join('; ')), ...about })];
}

/** A record for each rule that was added or removed, for the world or one agent (LOG1). */
function rules(before: readonly string[], after: readonly string[], about: Partial<NewAuditRecord>): NewAuditRecord[] {
  const record =
    (decision: string) =>
    (rule: string): NewAuditRecord =>
      policy(decision, { rule: maskSecrets(rule), ...about });
  const missing = (from: readonly string[], those: readonly string[]): string[] =>
    [...new Set(those.filter(isRule))].filter((rule) => !from.includes(rule));
  return [...missing(before, after).map(record('added')), ...missing(after, before).map(record('removed'))];
}
