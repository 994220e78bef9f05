import { describe, expect, it } from 'vitest';
import { buildPostgresStatements, buildSqliteStatements, type BuiltStatements } from './build-statements.js';

describe('the statements in the sources', () => {
  it('are what the queries say; after a change of those, `npx vitest run written-statements -u` writes them anew', async () => {
    await expect(sourceOf(buildSqliteStatements())).toMatchFileSnapshot('../sqlite/written-statements.ts');
    await expect(sourceOf(buildPostgresStatements())).toMatchFileSnapshot('../postgres/written-statements.ts');
  });
});

function sourceOf(statements: BuiltStatements): string {
  return `// Written from src/queries by a test: see queries/written-statements.test.ts.
import type { WrittenStatements } from '../statements.js';

export const writtenStatements: WrittenStatements = ${JSON.stringify(statements, undefined, 2)};
`;
}
