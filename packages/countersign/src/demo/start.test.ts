import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { start } from './start.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-demo-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the demo on typed lines and gives what was printed. The input ends after the last line. */
async function run(
  typed: readonly string[],
  more: { env?: NodeJS.ProcessEnv; ollamaUrl?: string } = {},
): Promise<string> {
  const left = [...typed];
  const printed: string[] = [];
  await start({
    lines: {
      ask: (prompt) => {
        const line = left.shift();
        printed.push(`${prompt}${line ?? ''}`);
        return Promise.resolve(line);
      },
      say: (line) => printed.push(line),
      onInterrupt: () => () => undefined,
    },
    env: { COUNTERSIGN_HOME: join(folder, 'home'), ...more.env },
    // A port nobody listens on: what runs on this machine must not change the test.
    ollamaUrl: more.ollamaUrl ?? 'http://127.0.0.1:9',
  });
  return printed.join('\n');
}

describe('the first run', () => {
  it('[A17] works with real files without a key, and neither an empty nor an unknown answer approves', async () => {
    const printed = await run(['1', 'o', '', 'yes', 'd', 'o', '']);
    expect(printed).toContain('No key and no Ollama found');
    expect(printed).toContain('Found 11 notes, and 3 files that look like scratch.');
    expect(printed).toContain('+# Notes of the harbour');
    expect(printed.match(/Nothing runs until you do/g)).toHaveLength(2);
    expect(printed).toContain(
      'Mason  @human I wrote the summary, removed the scratch files. Not done: moved the logs (not this one).',
    );
    const notes = await readdir(join(folder, 'home-worlds', 'harbour', 'notes'));
    expect(notes.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(notes.filter((name) => name.endsWith('-log.md'))).toHaveLength(8);
    expect(notes).toContain('summary.md');
  });

  it('[A9] takes up a question that was left open when the input ended', async () => {
    const first = await run(['1']);
    expect(first).toContain('1 of 3');
    const second = await run(['d', 'd', 'd', '']);
    expect(second).toContain('Last time this was left unfinished');
    expect(second).toContain('Mason  @human I did nothing of it.');
    expect(await readdir(join(folder, 'home-worlds', 'harbour', 'notes'))).toContain('scratch-1.tmp');
  });

  it('stays usable after a message that was refused', async () => {
    const printed = await run(['x'.repeat(1_000_001), 'hello', '']);
    expect(printed).toContain('· message: content: a message has at most 1000000 characters');
    expect(printed).toContain('Scout  I look after the notes');
  });

  it('says in words which folder it can not use', async () => {
    await writeFile(join(folder, 'file'), '');
    for (const home of ['', join(folder, 'file'), join(folder, 'file', 'deeper')])
      await expect(run([], { env: { COUNTERSIGN_HOME: home } })).rejects.toThrow(CountersignError);
  });

  it('[A5] shows the rule that always writes, and asks no more', async () => {
    const printed = await run(['2', 'a', '2', '']);
    expect(printed).toContain('always (allow shell_cmd(wc -l notes/crew.md))');
    expect(printed.match(/wants to use/g)).toHaveLength(1);
    expect(printed.match(/I counted the crew/g)).toHaveLength(2);
  });

  it('says in one line which real models it found, and uses none unless one is chosen', async () => {
    const server = createServer((_, response) => response.end('{"models":[{"name":"llama-test"}]}'));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const key = 'sk-not-a-key-at-all';
    const printed = await run(['', '1', 'd', 'd', 'd', ''], {
      env: { OPENAI_API_KEY: key },
      ollamaUrl: `http://127.0.0.1:${port}`,
    });
    server.close();
    expect(printed).toMatch(/Found gpt-\S+ \(OPENAI_API_KEY\), llama-test \(127\.0\.0\.1:\d+\)\./);
    expect(printed).toContain('Mason  @human I did nothing of it.');
    expect(printed).not.toContain(key);
  });
});
