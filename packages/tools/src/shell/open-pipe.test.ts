import { readdirSync, writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { openPipes } from './open-pipe.js';

let folder: TestFolder;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => folder.remove());

it('[TURN15] concurrent commands get separate pipes, and no pipe file remains', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => openPipes(folder.path)));
  const pipes = all.flatMap(({ stdout, stderr }) => [stdout, stderr]);
  for (const [index, pipe] of pipes.entries()) {
    writeSync(pipe.writer, `output ${index}`);
    pipe.closeWriter();
  }
  expect(await Promise.all(pipes.map(({ reader }) => text(reader)))).toEqual(
    pipes.map((_, index) => `output ${index}`),
  );
  expect(readdirSync(folder.path)).toEqual([]);
});

it('[TURN15] creates pipes where it can, and tries the next folder after a failure', async () => {
  const missing = `${folder.path}/missing`;
  const failed: unknown[] = [];
  // Spare pipes of earlier commands need no folder.
  for (let tries = 0; tries < 20 && failed.length === 0; tries += 1)
    await openPipes(missing).then(close, (error: unknown) => failed.push(error));
  expect(failed).toHaveLength(1);
  close(await openPipes(folder.path));
});

function close(pipes: Awaited<ReturnType<typeof openPipes>>): void {
  for (const pipe of [pipes.stdout, pipes.stderr]) {
    pipe.closeWriter();
    pipe.reader.destroy();
  }
}
