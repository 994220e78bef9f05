import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, request, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sampled } from '../support/scaled.js';
import { closeTerminals, ENTER, type PseudoTerminal } from '../support/pseudo-terminal.js';
import { command } from '../support/tmux.js';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());
afterEach(closeTerminals);
let before = 0;
beforeEach(() => {
  before = t.runs.length;
});
const ran = (): readonly string[] => t.runs.slice(before);

async function atCard(letter: string, options: Parameters<HarbourServer['terminal']>[1] = {}): Promise<PseudoTerminal> {
  const terminal = t.terminal(['chat', '-w', 'docks', '--new'], options);
  await terminal.waitFor('you  ');
  terminal.type(t.asking(stamp(letter)) + ENTER);
  await terminal.waitFor('  ✍ ');
  return terminal;
}

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('adverse conditions', () => {
  const signals = [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const;
  it.each(sampled(signals, 1))(
    '[CALL15] %s at a card approves nothing, and restores the terminal',
    async (signal, code) => {
      const terminal = await atCard(signal);
      terminal.signal(signal);
      expect([0, code]).toContain(await terminal.exitCode);
      expect(terminal.raw()).toMatch(/\u001B\[\?2004l[^\u001B]*$/);
      expect(ran()).toEqual([]);
      const waiting = (await t.client.approvals('docks')).items;
      expect(waiting.map(({ arguments: args }) => args)).toContainEqual({ letter: signal });
      for (const approval of waiting) await t.client.decide('docks', approval, { decision: 'deny' });
    },
  );

  it('[CALL15] shows a call in a 20×5 terminal in parts, and lets it be approved only after all of it was shown', async () => {
    const terminal = await atCard(`${'quay '.repeat(40)}END`, { columns: 20, rows: 5 });
    expect(terminal.screen()).toContain('more lines');
    terminal.type(`o${ENTER}`);
    await terminal.waitFor('Type s to see');
    await terminal.waitFor('  ✍ ');
    expect(ran()).toEqual([]);
    terminal.type(`s${ENTER}`);
    expect(await terminal.waitFor('  ✍ ')).toContain('END');
    terminal.resize(200, 50);
    terminal.type(`o${ENTER}`);
    await terminal.waitFor('you  ');
    expect(ran()).toHaveLength(1);
  });

  it('[TERM4] writes no escape sequences to a dumb terminal, and no colours if disabled', async () => {
    const dumb = await atCard('dumb', { env: { TERM: 'dumb' } });
    dumb.type(ENTER);
    await dumb.waitFor('denied');
    expect(dumb.raw()).not.toMatch(/\u001B\[[?0-9;]*[hm]/);
    const plain = await t.runHere(['worlds'], { env: { NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain('\u001B');
    const tui = t.terminal(['tui', '-w', 'docks'], { env: { TERM: 'dumb' } });
    await tui.waitFor('The full-screen UI needs a terminal');
    expect(await tui.exitCode).toBe(2);
  });

  it('[TERM4] says in one sentence that a URL is not our server, or that there is no response', async () => {
    const page = await listen((_, response) => response.end('<html>hello</html>'));
    const missing = await listen((_, response) => response.writeHead(404).end());
    const other = await listen((_, response) => response.end('{"ok":true,"items":[]}'));
    const tried = await Promise.all(
      [page, missing, other, 'http://127.0.0.1:9'].map((url) =>
        t.runHere(['worlds'], { env: { COUNTERSIGN_URL: url } }),
      ),
    );
    for (const [index, { code, stdout, stderr }] of tried.entries()) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(index < 3 ? 'did not prove' : 'No response from http://127.0.0.1:9');
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    const [wrong, broken] = await Promise.all([
      t.runHere(['worlds'], { env: { COUNTERSIGN_TOKEN: 'wrong' } }),
      t.runHere(['worlds'], { env: { COUNTERSIGN_TOKEN: 'a secret\nof two lines' } }),
    ]);
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('set COUNTERSIGN_TOKEN');
    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).not.toContain('secret');
  });

  it('[TERM4] says in one sentence that the server stopped, whichever command it interrupts', async () => {
    let left = 0;
    const target = new URL(t.serving().url);
    const url = await listen((asked, answer) => {
      if (asked.url !== '/api/health' && left <= 0) {
        asked.socket.destroy();
        return;
      }
      left -= 1;
      const { method = 'GET', url: path = '/' } = asked;
      const headers = { ...asked.headers, host: target.host };
      const onward = request({ host: target.hostname, port: target.port, path, method, headers }, (said) => {
        answer.writeHead(said.statusCode ?? 500, said.headers);
        said.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      asked.pipe(onward);
    });
    const { id } = await t.client.createChat('docks');
    const ended: string[] = [];
    for (const words of [
      'worlds show docks',
      'agents list -w docks',
      'agents memory ada -w docks',
      `chats show ${id} -w docks`,
      'chats add -w docks',
      'approvals list',
      'approvals show approval_x',
      'grants list',
      'mcp list -w docks',
      'tools -w docks',
      'search quay -w docks',
      'policy add allow\\ stamp -w docks',
      'audit list -w docks',
      'audit verify',
      'export docks',
      'stats -w docks',
      'providers',
      `chat -w docks -c ${id} hello --timeout 300ms`,
    ]) {
      for (const count of [0, 1]) {
        left = count;
        const split = words.split(/(?<!\\) /).map((word) => word.replace('\\ ', ' '));
        const { code, stderr } = await t.runHere(split, { env: { COUNTERSIGN_URL: url } });
        const isFine = code === 0 || ((code === 1 || code === 2) && /^countersign: [^\n]+\n$/.test(stderr));
        if (!isFine) ended.push(`${words} after ${count}: ${code} ${stderr}`);
      }
    }
    expect(ended).toEqual([]);
    expect((await t.client.policy('docks')).value.rules).toEqual([]);
  });

  it('[TERM4] exits quietly if nobody reads its output, but fails if its output can’t be written', async () => {
    const sh = async (line: string): Promise<{ stdout: string; stderr: string }> =>
      await promisify(execFile)('bash', ['-c', line], { env: { PATH: process.env['PATH'] ?? '', ...t.env } });
    for (let count = 0; count < 30; count += 1) await t.client.createChat('docks', { title: `chat ${count}` });
    const head = await sh(`${command} chats list -w docks | head -1; echo "code \${PIPESTATUS[0]}"`);
    expect(head).toMatchObject({ stderr: '' });
    expect(head.stdout).toMatch(/^ID .*\ncode 0\n$/);
    const unheard = await sh(`${command} worlds show nope 2>&1 | true; echo "code \${PIPESTATUS[0]}"`);
    expect(unheard.stdout).toBe('code 2\n');
    if (!existsSync('/dev/full')) return;
    const full = await sh(`${command} chats list -w docks > /dev/full; echo "code $?"`);
    expect(full.stdout).toBe('code 1\n');
    expect(full.stderr).toMatch(/^countersign: Could not write to standard output: .*\n$/);
  });
});
