import { readFile } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';

/** Whether any test file of this run mentions something, so that only runs that need it wait for it. */
export async function chosenTestsMention(project: TestProject, what: RegExp): Promise<boolean> {
  return await someChosenTest(project, (_file, text) => what.test(text));
}

export async function someChosenTest(
  { vitest }: TestProject,
  isMeant: (file: string, text: string) => boolean,
): Promise<boolean> {
  if (vitest.config.watch) return true;
  const [command = 'run', ...rest] = process.argv.slice(2);
  const words = (command === 'run' ? rest : [command, ...rest]).filter((word) => !word.startsWith('-'));
  let chosen = await vitest.getRelevantTestSpecifications(words);
  // An argument may be the value of an option instead of a file name: prepare too much rather than too little.
  if (chosen.length === 0) chosen = await vitest.getRelevantTestSpecifications();
  const meant = await Promise.all(
    chosen.map(async ({ moduleId }) => isMeant(moduleId, await readFile(moduleId, 'utf8'))),
  );
  return meant.includes(true);
}
