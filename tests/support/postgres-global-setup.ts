import { readFile } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real PostgreSQL of this run, as its superuser. Present in every test file that mentions "postgres". */
    postgresUrl: string;
  }
}

/** Starts one PostgreSQL for the whole run, and none for a run in which no test file speaks of it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!(await isWanted(project))) return undefined;
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}

async function isWanted({ vitest }: TestProject): Promise<boolean> {
  if (vitest.config.watch) return true;
  const [command = 'run', ...rest] = process.argv.slice(2);
  const words = (command === 'run' ? rest : [command, ...rest]).filter((word) => !word.startsWith('-'));
  let chosen = await vitest.getRelevantTestSpecifications(words);
  // The words may have been an option's value and no file name: better a server too many than one too few.
  if (chosen.length === 0) chosen = await vitest.getRelevantTestSpecifications();
  const texts = await Promise.all(chosen.map(({ moduleId }) => readFile(moduleId, 'utf8')));
  return texts.some((text) => /postgres/i.test(text));
}
