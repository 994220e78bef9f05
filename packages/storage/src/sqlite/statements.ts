import { sqliteSearch } from '../queries/search.js';
import { statementsIn, type Statements } from '../statements.js';

export const sqliteStatements: Statements = statementsIn(sqliteSearch);
