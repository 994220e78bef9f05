import { postgresSearch } from '../queries/search.js';
import { statementsIn, type Statements } from '../statements.js';

export const postgresStatements: Statements = statementsIn(postgresSearch);
