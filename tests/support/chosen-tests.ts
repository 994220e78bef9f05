import { readFile } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';

/** Whether any test file of this run mentions something, so that only runs that need it wait for it. */
export async function chosenTestsMention({ vitest }: TestProject, what: RegExp): Promise<boolean> {
  if (vitest.config.watch) return true;
  const [command = 'run', ...rest] = process.argv.slice(2);
  const words = (command === 'run' ? rest : [command, ...rest]).filter((word) => !word.startsWith('-'));
  let chosen = await vitest.getRelevantTestSpecifications(words);
  // An argument may be the value of an option instead of a file name: prepare too much rather than too little.
  if (chosen.length === 0) chosen = await vitest.getRelevantTestSpecifications();
  const texts = await Promise.all(chosen.map(({ moduleId }) => readFile(moduleId, 'utf8')));
  return texts.some((text) => what.test(text));
}
