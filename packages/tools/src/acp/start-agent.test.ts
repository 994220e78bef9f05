import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { sharedSandbox } from '../testing/shared-sandbox.js';
import { startAgent, type AgentPlace } from './start-agent.js';

let base = '';
afterEach(() => rm(base, { recursive: true, force: true }));

/** What a program prints that looks for credentials. */
async function lookAround(place: AgentPlace): Promise<string> {
  const look = `cat notes; cd ${base}; cat home/token secrets project/notes 2>&1; echo new > project/made; [ -e /proc/${process.pid}/environ ] && echo sees us`;
  const child = await startAgent({ command: ['/bin/sh', '-c', look] }, join(base, 'project'), place);
  try {
    return await text(child.stdout);
  } finally {
    await child.end();
  }
}

it('[EXT3.14] the program of an agent sees everything but our files, drafts and process', async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'countersign-acp-place-')));
  for (const folder of ['home', 'project', 'drafts']) await mkdir(join(base, folder));
  await writeFile(join(base, 'home/token'), 'the token\n');
  await writeFile(join(base, 'secrets'), 'the key\n');
  await writeFile(join(base, 'project/notes'), 'the notes\n');
  const hide = [join(base, 'home'), join(base, 'secrets'), join(base, 'gone')];
  expect(await lookAround({ hide })).toBe('the notes\nthe token\nthe key\nthe notes\nsees us\n');
  const sandbox = await sharedSandbox();
  if (sandbox.kind !== 'bubblewrap') return;
  const seen = await lookAround({ sandbox, hide });
  expect(seen).toMatch(/^the notes\n/);
  for (const hidden of ['the token', 'the key', 'sees us']) expect(seen).not.toContain(hidden);
  expect(seen).toContain('home/token: No such file');
});
