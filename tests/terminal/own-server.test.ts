import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@countersign/server';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeTerminals, CTRL_C, ENTER, openTerminal } from '../support/pseudo-terminal.js';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { runAlone, runCommand, type Ran } from './harbour-server.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-own-'));
const env = { HOME: folder, COUNTERSIGN_HOME: join(folder, 'deep', 'home') };
const run = (...words: string[]): Promise<Ran> => runCommand(words, { env });
afterEach(closeTerminals);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const notes = (): string[] => readdirSync(join(folder, 'deep', 'home-worlds', 'harbour', 'notes'));

// Each of them starts a server, which takes long on a busy machine.
describe('without a server', () => {
  it('[TERM4] [STORE4] concurrent commands create one home, start one server and share it', async () => {
    const ended = await Promise.all([run('chat', '-w', 'harbour', 'hello'), run('worlds', '--json')]);
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ended.map(() => ({ code: 0, stderr: '' })));
    expect(ended[0]?.stdout).toContain('Scout\n  │ I keep the notes of this harbour.');
    expect(JSON.parse(ended[1]?.stdout ?? '')).toMatchObject({ items: [{ id: 'harbour' }] });
    for (let round = 1; round <= (isFullSize ? 3 : 0); round += 1) {
      const empty = { HOME: folder, COUNTERSIGN_HOME: join(folder, `deep ${round}`, 'home') };
      const made = await Promise.all(
        ['One', 'Two'].map((title) =>
          runCommand(['chats', 'add', '-w', 'harbour', '--title', title, '--json'], { env: empty }),
        ),
      );
      expect(made.map(({ code, stderr }) => ({ code, stderr }))).toEqual(made.map(() => ({ code: 0, stderr: '' })));
    }
  });

  itAtFullSize('[TERM2] [CALL9] the demo world runs in a terminal, and unfinished work continues', async () => {
    const first = openTerminal(['chat', '-w', 'harbour'], { env });
    await first.waitFor('you  ');
    first.type(`Please tidy the notes folder.${ENTER}`);
    await first.waitFor('1 of 3');
    await first.waitFor('✍ ');
    // As if the window was closed: nobody has decided, and nothing runs.
    first.kill();
    await first.exitCode;
    expect(notes()).not.toContain('summary.md');

    const second = openTerminal(['chat', '-w', 'harbour'], { env });
    await second.waitFor('left unfinished');
    for (const answer of ['o', 'd not this one', 'o']) {
      await second.waitFor(/Mason wants to (?:write|run)/);
      await second.waitFor('✍ ');
      second.type(answer + ENTER);
    }
    const said = await second.waitFor(/moved the logs \(not this\s+(?:│\s+)?one\)\./);
    expect(said).toContain('I wrote the summary and removed the scratch files. Not done:');
    await second.waitFor('you  ');
    // A second command uses the first one's server.
    const { stdout } = await runAlone(['chats', 'list', '-w', 'harbour', '--json'], env);
    const { items } = z.object({ items: z.array(z.object({ title: z.string() })) }).parse(JSON.parse(stdout));
    expect(items.map(({ title }) => title)).toContain('Tidy the notes folder');
    second.type(`/quit${ENTER}`);
    expect(await second.exitCode).toBe(0);
    expect(notes().filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(notes().filter((name) => name.endsWith('-log.md'))).toHaveLength(8);
    expect(notes()).toContain('summary.md');
  });

  itAtFullSize('[TERM6.1] waits for a server that was killed, and continues with the next one', async () => {
    const server = openTerminal(['serve', '--no-open', '--port', '0'], { env });
    await server.waitFor('Press Enter for a new start link');
    const terminal = openTerminal(['chat', '-w', 'harbour', '--new'], { env });
    await terminal.waitFor('you  ');
    terminal.type(`How large is the crew? Count the lines.${ENTER}`);
    await terminal.waitFor('│   wc -l notes/crew.md');
    await terminal.waitFor('✍ ');
    server.kill();
    await server.exitCode;
    terminal.type(`o${ENTER}`);
    const quiet = (): void => undefined;
    const log = { info: quiet, warn: quiet, error: quiet };
    const next = await serve({ home: env.COUNTERSIGN_HOME, env: {}, log, port: 0, version: 'test' });
    // Approved once: the decision reaches the next server, and nobody is asked again.
    expect(await terminal.waitFor('I counted the crew: 5. All done')).not.toContain('wants to run');
    await terminal.waitFor('you  ');
    await next.close();
    await terminal.waitFor('Waiting for it to come back… Ctrl-C quits.');
    terminal.type(CTRL_C);
    expect(await terminal.exitCode).toBe(130);
    const { stdout } = await runAlone(['audit', 'list', '-w', 'harbour', '--json'], env);
    const { items } = z
      .object({ items: z.array(z.object({ kind: z.string(), arguments: z.unknown().exactOptional() })) })
      .parse(JSON.parse(stdout));
    const runs = items.filter(({ kind, arguments: args }) => kind === 'run' && JSON.stringify(args)?.includes('wc -l'));
    expect(runs).toHaveLength(1);
  });

  it('[TERM3] copies all data into another store, and shows its progress', async () => {
    const copy = join(folder, 'copy.db');
    const migrate = (...words: string[]): Promise<Ran> => runAlone(['migrate', ...words], env);
    const copied = await migrate('--to', copy, '--json');
    expect(copied.code).toBe(0);
    expect(copied.stderr).toMatch(/^… messages \d+ of \d+$/m);
    // A world, and the row of the server's own audit log.
    expect(JSON.parse(copied.stdout)).toMatchObject({ tables: { worlds: 2 } });
    const [again, wrong] = [await migrate('--to', copy), await migrate('--to', 'mysql://nowhere')];
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('not empty');
    expect(wrong.code).toBe(2);
  });
});
