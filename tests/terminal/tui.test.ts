import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, type Serving } from '@countersign/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { startServer, type ServerProcess } from '../../packages/server/src/testing/start-process.js';
import { command, hasTmux, openTmux, READY, type Tmux } from '../support/tmux.js';

/** A new card ignores input at first, so retry until it responds. */
async function choose(tmux: Tmux, key: string, then: string): Promise<void> {
  await tmux.see('until you approve it.', { not: 'Ctrl-G to focus it' });
  await tmux.press(key);
  await tmux.see(then);
}

describe.runIf(hasTmux)('the full-screen UI with the demo world', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-tui-'));
  const home = join(folder, 'home');
  let server: ServerProcess;
  let next: Serving | undefined;
  let tmux: Tmux;
  beforeAll(async () => {
    server = await startServer(home);
    tmux = await openTmux({ HOME: folder });
  });
  afterAll(async () => {
    await tmux.close();
    await server.end('SIGTERM');
    await next?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const notes = (name: string): boolean => existsSync(join(`${home}-worlds`, 'harbour', 'notes', name));

  it('[TERM2] shows the world, its agents and suggestions', async () => {
    await tmux.type(`clear; ${command} tui --home ${home}`);
    await tmux.press('Enter');
    await tmux.see(['Please tidy the notes folder.', '◈ Harbour', /Scout +○ idle/, /Mason +○ idle/]);
    expect(await tmux.flag('alternate_on')).toBe('1');
  });

  it('[CALL12] [CALL15] [TERM8] approves two of three calls and denies one; Enter alone approves nothing', async () => {
    await tmux.press('Down', 'Enter');
    await tmux.see([
      'Waiting for you · 1 of 3',
      /Mason +⏳ waiting/,
      'Mason wants to write',
      '+ # Notes of the harbour',
      'Adds 1 file',
    ]);
    await expect.poll(() => tmux.flag('pane_title')).toBe('(3) Countersign');
    await tmux.press('Tab');
    await choose(tmux, 'Enter', 'Nothing is selected, so nothing was approved.');
    expect(notes('summary.md')).toBe(false);
    await choose(tmux, 'o', 'Approve exactly this call, once');
    await tmux.press('Enter');
    await tmux.see('Waiting for you · 1 of 2');
    await tmux.see(['approved once by you', 'mkdir -p notes/archive']);
    await expect.poll(() => notes('summary.md')).toBe(true);
    await choose(tmux, 'o', 'Approve exactly this call, once');
    await tmux.press('Enter');
    await tmux.see('Waiting for you · 1 of 1');
    await choose(tmux, 'd', 'Why not?');
    await tmux.type('not this one');
    await tmux.see('Why not? not this one');
    await tmux.press('Enter');
    await tmux.see(['Not done: removed the scratch files', /✗ shell_cmd rm notes\/scratch-\*\.tmp +denied by you/]);
    expect(notes('archive')).toBe(true);
    expect(notes('scratch-1.tmp')).toBe(true);
  });

  itAtFullSize('follows the size of the terminal, and says if it is too small', async () => {
    await tmux.resize(80, 24);
    await tmux.see(['◈ Harbour · Tidy the notes folder', 'Not done: removed the'], { not: 'Agents' });
    await tmux.press('C-p');
    expect(await tmux.see(['Agents', /› Tidy the notes folder/])).toContain('Harbour');
    await tmux.press('Escape');
    await tmux.see('Enter sends');
    await tmux.resize(40, 12);
    await tmux.see('too small: 40×12');
    await tmux.resize(80, 24);
    await tmux.see('Not done: removed the', { not: 'Agents' });
  });

  itAtFullSize('[STORE3] loses nothing if the server is killed, and continues with the next one', async () => {
    await tmux.type('How large is the crew? Count the lines.');
    await tmux.press('Enter');
    await tmux.see('Mason wants to run: wc -l notes/crew.md');
    await server.end('SIGKILL');
    await tmux.see('Waiting for the server to come back…');
    const quiet = (): void => undefined;
    const log = { info: quiet, warn: quiet, error: quiet };
    next = await serve({ home, env: {}, log, port: 0, version: 'test' });
    await tmux.see('Mason wants to run: wc -l notes/crew.md', { not: 'to come back' });
    await tmux.press('C-g');
    await choose(tmux, 'a', 'Rule allow shell_cmd(wc -l notes/crew.md)');
    await tmux.press('Enter');
    expect(await tmux.see(['approved always by you', 'wc -l notes/crew.md'])).not.toContain('to come back');
  });

  it('asks before a draft is lost, and restores the shell', async () => {
    await tmux.see('○ idle', { not: 'Waiting for you' });
    await tmux.type('never sent');
    await tmux.see('› never sent');
    await tmux.press('C-c');
    await tmux.see('Quit? Your message has not been sent and would be lost.');
    await tmux.press('y');
    expect(await tmux.see(READY, { not: 'Quit?' })).not.toContain('Harbour');
    await tmux.type('clear; stty -a; echo ended');
    await tmux.press('Enter');
    await tmux.see([/^ended/m, /(?<!-)\bicanon\b/, /(?<!-)\becho\b/]);
    expect(await tmux.flag('alternate_on')).toBe('0');
    expect(await tmux.flag('cursor_flag')).toBe('1');
    expect(await tmux.flag('wrap_flag')).toBe('1');
    expect(await tmux.flag('pane_title')).not.toContain('Countersign');
  });
});
