import { purgeOrder } from '../../purge-order.js';
import type { Statements } from '../../statements.js';
import { toStored } from '../../text.js';
import { makersText } from '../../verbs/worlds.js';
import type { BulkChange } from './plan.js';
import { namedQuery, queryOf, type Query } from './query.js';

/** Writes a change that affects more than single rows. */
export function writeBulk(fact: BulkChange, s: Statements, now: number): Query[] {
  const raiseRev = (worldId: string): Query => queryOf(s.updateWorld, { id: worldId, name: null, settings: null });
  switch (fact.kind) {
    case 'outcome-accepted':
      return [queryOf(s.clearOutcomeUnknown, fact)];
    case 'chat-deleted': {
      const id = fact.chatId;
      return purgeOrder(s.purge).chat.map((statement) => queryOf(statement, { id }));
    }
    case 'policy-changed': {
      const { worldId, policy } = fact;
      return [raiseRev(worldId), queryOf(s.updatePolicy, { worldId, policy: JSON.stringify(policy), proposed: null })];
    }
    case 'agent-added': {
      const { worldId, id, definition, createdAt } = fact.agent;
      const cells = [worldId, id, JSON.stringify(definition)].map(toStored);
      return [namedQuery(INSERT_AGENT, [...cells, makersText(fact.agent), createdAt]), raiseRev(worldId)];
    }
    case 'agent-removed': {
      const { worldId, agentId } = fact;
      return [queryOf(s.clearAgent, { worldId, id: agentId, now }), raiseRev(worldId)];
    }
    case 'world-deleted':
      return deleteWorld(fact.worldId, s, now);
  }
}

/** The primary key rejects an id that was already used. */
const INSERT_AGENT = 'insert into agents (world_id, id, definition, makers, created_at) values ($1, $2, $3, $4, $5)';

function deleteWorld(id: string, s: Statements, now: number): Query[] {
  return [
    queryOf(s.buryWorld, { id, now }),
    ...purgeOrder(s.purge).world.map((statement) => queryOf(statement, { id })),
    queryOf(s.deleteAgentsOfWorld, { worldId: id }),
    queryOf(s.deletePolicy, { worldId: id }),
  ];
}
