import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Entry } from './entry.js';
import { fileLog, newMark, readLog } from './step-log.js';

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  path = join(folder, 'store.db-steps');
});

const ODD = 'NUL \0, half of a pair \ud800, the mark \u001a itself, Grüße 🦉';

function entry(now: number): Entry {
  const row = { kind: 'chat-changed', chatId: 'chat_1', change: { title: `${ODD} ${now}` } } as const;
  return { worldId: 'w', now, changes: [row], events: [], links: [], heads: { lastEvent: now, seq: 0, hash: '' } };
}

it.each(['NORMAL', 'FULL'] as const)('[STORE3] a log returns the appended records, %s', async (synchronous) => {
  const mark = newMark();
  const log = fileLog(path, mark, synchronous);
  expect(readLog(path, mark)).toEqual([]);
  log.append([entry(1), entry(2)]);
  log.append([entry(3)]);
  await log.sync?.();
  expect(readLog(path, mark)).toEqual([entry(1), entry(2), entry(3)]);
  expect(readLog(path, newMark())).toEqual([]);
  expect(readLog(path, undefined)).toEqual([]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  log.close();
  expect(existsSync(path)).toBe(true);
});

it('[STORE3] restarts after the tables are committed, and older, longer content is not read', () => {
  const [first, second] = [newMark(), newMark()];
  const log = fileLog(path, first, 'NORMAL');
  for (let at = 0; at < 9; at += 1) log.append([entry(at)]);
  log.restart(second);
  expect([log.size, readLog(path, second)]).toEqual([0, []]);
  log.append([entry(10)]);
  expect(readLog(path, second)).toEqual([entry(10)]);
  expect(readLog(path, first)).toEqual([]);
  log.restart(newMark());
  log.close();
  expect(existsSync(path)).toBe(false);
});

it('[STORE3] ignores a truncated or corrupt record and everything after it', () => {
  const mark = newMark();
  const log = fileLog(path, mark, 'NORMAL');
  log.append([entry(1)]);
  const { size } = log;
  log.append([entry(2)]);
  log.append([entry(3)]);
  const whole = readFileSync(path);
  for (let at = size; at < log.size; at += 7) {
    writeFileSync(path, whole.subarray(0, at));
    expect(readLog(path, mark).slice(0, 1)).toEqual([entry(1)]);
    const spoilt = Buffer.from(whole);
    spoilt[at] = (spoilt[at] ?? 0) ^ 1;
    writeFileSync(path, spoilt);
    const read = readLog(path, mark);
    expect(read).toEqual([entry(1), entry(2), entry(3)].slice(0, read.length));
    expect(read.length).toBeLessThan(3);
  }
  writeFileSync(path, whole);
  appendFileSync(path, Buffer.alloc(500, 7));
  expect(readLog(path, mark)).toHaveLength(3);
  log.close();
});

it('[STORE1] overwrites data that was never synced', async () => {
  const mark = newMark();
  const log = fileLog(path, mark, 'FULL');
  log.append([entry(1)]);
  await log.sync?.();
  log.append([entry(2)]);
  log.dropUnsynced();
  log.append([entry(3)]);
  expect(readLog(path, mark)).toEqual([entry(1), entry(3)]);
  log.close();
});

it('doesn’t follow a link, and reports a folder in its place', () => {
  const other = `${path}.other`;
  writeFileSync(other, 'mine');
  symlinkSync(other, path);
  const mark = newMark();
  const log = fileLog(path, mark, 'NORMAL');
  log.append([entry(1)]);
  expect(readFileSync(other, 'utf8')).toBe('mine');
  expect(readLog(path, mark)).toEqual([entry(1)]);
  log.close();
  rmSync(path);
  mkdirSync(path);
  const refused = { code: 'store-unavailable', message: expect.stringContaining(path) as string };
  expect(() => fileLog(path, mark, 'NORMAL').append([entry(1)])).toThrow(expect.objectContaining(refused));
  expect(() => readLog(path, mark)).toThrow(expect.objectContaining(refused));
});
