import { DummyDriver, Kysely, type Dialect } from 'kysely';
import type { Queries } from './prepared.js';
import type { Tables } from './schema.js';
import { approvalStatements } from './verbs/approvals.js';
import { auditStatements } from './verbs/audit.js';
import { chatStatements } from './verbs/chats.js';
import { clientStatements } from './verbs/clients.js';
import { eventStatements } from './verbs/events.js';
import { grantStatements } from './verbs/grants.js';
import { invocationStatements } from './verbs/invocations.js';
import { mcpServerStatements } from './verbs/mcp-servers.js';
import { messageStatements } from './verbs/messages.js';
import { purgeStatements } from './verbs/purge.js';
import { searchStatements, type SearchDialect } from './verbs/search.js';
import { statsStatements } from './verbs/stats.js';
import { turnStatements } from './verbs/turns.js';
import { upkeepStatements } from './verbs/upkeep.js';
import { worldStatements } from './verbs/worlds.js';

export type Statements = ReturnType<typeof buildStatements>;

/** Every statement there is, in one dialect. */
export function buildStatements(dialect: Omit<Dialect, 'createDriver'>, search: SearchDialect) {
  const db: Queries = new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (of) => dialect.createIntrospector(of),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      // Statements are compiled here and run by our connections.
      createDriver: () => new DummyDriver(),
    },
  });
  return {
    ...worldStatements(db),
    ...chatStatements(db),
    ...messageStatements(db),
    ...turnStatements(db),
    ...invocationStatements(db),
    ...approvalStatements(db),
    ...grantStatements(db),
    ...clientStatements(db),
    ...mcpServerStatements(db),
    ...eventStatements(db),
    ...auditStatements(db),
    ...upkeepStatements(db),
    ...searchStatements(db, search),
    ...statsStatements(db),
    purge: purgeStatements(db, search),
    matchText: search.matchText,
  };
}
