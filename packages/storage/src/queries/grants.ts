import { grants, type Cells, type CellsOf } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

/** Only the columns that the caller doesn't already have. */
export const foundGrantColumns = [
  'id',
  'world_id',
  'folder',
  'pattern',
  'answered_rule',
  'granted_by',
  'granted_at',
  'last_used_at',
] as const;

type CallOfGrants = {
  chatId: string;
  agentId: string;
  toolName: string;
  key: string;
  otherKey: string;
};

export type FoundRow = CellsOf<typeof grants, typeof foundGrantColumns>;
export type GrantRow = Cells<typeof grants>;

export type GrantStatements = typeof grantStatements;

const select = `select ${grants.names.join(', ')} from grants`;

export const grantStatements = {
  grant: prepared<{ id: string }, GrantRow>(`${select} where id = :id`),
  // Selects only the needed columns: there may be ten thousand grants for one call (LIMIT3).
  grants: prepared<CallOfGrants, FoundRow>(
    `select ${foundGrantColumns.join(', ')} from grants where revoked_at is null and chat_id = :chatId and agent_id = :agentId and tool_name = :toolName and pattern_key in ('', :key, :otherKey) order by ordinal`,
  ),
  anyGrant: prepared<{ chatId: string }, [id: string]>('select id from grants where chat_id = :chatId limit 1'),
  grantsOfWorld: prepared<{ worldId: string }, GrantRow>(
    `${select} where revoked_at is null and chat_id in (select id from chats where world_id = :worldId) order by ordinal`,
  ),
  insertGrant: insertInto(grants),
  touchGrant: prepared<{ id: string; now: number }>('update grants set last_used_at = :now where id = :id'),
  revokeGrant: prepared<{ id: string; now: number }>(
    'update grants set revoked_at = :now where id = :id and revoked_at is null',
  ),
};
