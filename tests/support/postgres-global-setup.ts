import type { TestProject } from 'vitest/node';
import { chosenTestsMention } from './chosen-tests.js';
import { startPostgres } from './postgres-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser URL of this run's PostgreSQL. Available in every test file that mentions "postgres". */
    postgresUrl: string;
  }
}

/** Starts one PostgreSQL for the whole run, unless no test file mentions it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!(await chosenTestsMention(project, /postgres/i))) return undefined;
  const server = await startPostgres({ settings: { autovacuum: 'off' } });
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
