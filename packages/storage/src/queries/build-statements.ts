import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Tables } from '../schema.js';
import { approvalStatements } from './approvals.js';
import { auditStatements } from './audit.js';
import { chatStatements } from './chats.js';
import { clientStatements } from './clients.js';
import { eventStatements } from './events.js';
import { grantStatements } from './grants.js';
import { invocationStatements } from './invocations.js';
import { mcpServerStatements } from './mcp-servers.js';
import { messageStatements } from './messages.js';
import { purgeStatements } from './purge.js';
import { searchStatements } from './search.js';
import { statsStatements } from './stats.js';
import { turnStatements } from './turns.js';
import { upkeepStatements } from './upkeep.js';
import { worldStatements } from './worlds.js';
import { postgresSearch } from './postgres-search.js';
import type { Queries } from './prepared.js';
import type { SearchDialect } from './search.js';
import { sqliteSearch } from './sqlite-search.js';

export function buildSqliteStatements() {
  return buildStatements(
    new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
        // Statements are put together here and run by our connections.
        createDriver: () => new DummyDriver(),
      },
    }),
    sqliteSearch,
  );
}

export function buildPostgresStatements() {
  return buildStatements(
    new Kysely<Tables>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
        createDriver: () => new DummyDriver(),
      },
    }),
    postgresSearch,
  );
}

export type BuiltStatements = ReturnType<typeof buildStatements>;

/** Every statement there is, in one dialect. */
function buildStatements(db: Queries, search: SearchDialect) {
  return {
    ...approvalStatements(db),
    ...auditStatements(db),
    ...chatStatements(db),
    ...clientStatements(db),
    ...eventStatements(db),
    ...grantStatements(db),
    ...invocationStatements(db),
    ...mcpServerStatements(db),
    ...messageStatements(db),
    ...searchStatements(db, search),
    ...statsStatements(db),
    ...turnStatements(db),
    ...upkeepStatements(db),
    ...worldStatements(db),
    purge: purgeStatements(db, search),
  };
}
