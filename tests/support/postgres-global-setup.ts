import type { TestProject } from 'vitest/node';
import { chosenTestsMention } from './chosen-tests.js';
import { startPostgres } from './postgres-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real PostgreSQL of this run, as its superuser. Present in every test file that mentions "postgres". */
    postgresUrl: string;
  }
}

/** Starts one PostgreSQL for the whole run, and none for a run in which no test file speaks of it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!(await chosenTestsMention(project, /postgres/i))) return undefined;
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
