import { prepared } from './prepared.js';

export type WorldStatements = typeof worldStatements;

type ByAgent = { worldId: string; id: string };

const living = `select id, name, settings, policy, proposed, rev, created_at from worlds inner join world_policies on world_policies.world_id = worlds.id where deleted_at is null`;

export const worldStatements = {
  world: prepared<{ id: string }, WorldRow>(`${living} and id = :id`),
  worldRev: prepared<{ id: string }, [rev: number]>('select rev from worlds where id = :id and deleted_at is null'),
  worlds: prepared<object, WorldRow>(`${living} order by ordinal`),
  worldIdTaken: prepared<{ id: string }, [id: string]>('select id from worlds where id = :id'),
  agents: prepared<{ worldId: string }, AgentRow>(
    'select world_id, id, definition, makers, created_at from agents where world_id = :worldId and deleted_at is null order by ordinal',
  ),
  agentIdTaken: prepared<ByAgent, [id: string]>('select id from agents where world_id = :worldId and id = :id'),

  insertWorld: prepared<{ id: string; name: string; settings: string; now: number }>(
    `insert into worlds (id, name, settings, rev, event_seq, audit_seq, audit_hash, created_at) values (:id, :name, :settings, 1, 0, 0, '', :now) on conflict (id) do nothing`,
  ),
  insertPolicy: prepared<{ worldId: string; policy: string; proposed: string }>(
    'insert into world_policies (world_id, policy, proposed) values (:worldId, :policy, :proposed)',
  ),
  updateWorld: prepared<{ id: string; name: string | null; settings: string | null }>(
    'update worlds set name = coalesce(:name, name), settings = coalesce(:settings, settings), rev = rev + 1 where id = :id and deleted_at is null',
  ),
  updatePolicy: prepared<{ worldId: string; policy: string | null; proposed: string | null }>(
    'update world_policies set policy = coalesce(:policy, policy), proposed = coalesce(:proposed, proposed) where world_id = :worldId',
  ),
  buryWorld: prepared<{ id: string; now: number }>(
    `update worlds set deleted_at = :now, name = '', settings = '{}', rev = rev + 1 where id = :id`,
  ),
  deletePolicy: prepared<{ worldId: string }>('delete from world_policies where world_id = :worldId'),
  deleteAgentsOfWorld: prepared<{ worldId: string }>('delete from agents where world_id = :worldId'),

  insertAgent: prepared<ByAgent & { definition: string; makers: string | null; now: number }>(
    'insert into agents (world_id, id, definition, makers, created_at) values (:worldId, :id, :definition, :makers, :now) on conflict (world_id, id) do nothing',
  ),
  updateAgent: prepared<ByAgent & { definition: string }>(
    'update agents set definition = :definition where world_id = :worldId and id = :id and deleted_at is null',
  ),
  // The row is kept without its content: grants refer to the id, and a new agent must not inherit them (CALL17).
  clearAgent: prepared<ByAgent & { now: number }>(
    `update agents set definition = '{}', deleted_at = :now where world_id = :worldId and id = :id and deleted_at is null`,
  ),
};

export type WorldRow = [
  id: string,
  name: string,
  settings: string,
  policy: string,
  proposed: string,
  rev: number,
  createdAt: number,
];
export type AgentRow = [worldId: string, id: string, definition: string, makers: string | null, createdAt: number];
