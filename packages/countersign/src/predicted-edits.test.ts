import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createFakeClock } from '@countersign/core/testing';
import type { NewWorld } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { openAcpWorld } from './testing/acp-world.js';
import { externalWorlds } from './testing/external-worlds.js';
import { freshFolder } from './testing/fresh-folder.js';

const { open } = externalWorlds();
const inFolder = freshFolder();
const inWorld = (name: string): string => inFolder(`world/${name}`);

beforeEach(() => {
  mkdirSync(inWorld('src'), { recursive: true });
  writeFileSync(inWorld('src/a.txt'), 'one\ntwo\nthree\n');
});

async function openHere(world: Partial<NewWorld> = {}) {
  const findPlace = () => ({ workingDirectory: inFolder('world'), home: '/root' });
  const t = await open(world, ':memory:', createFakeClock(), { findPlace });
  let calls = 0;
  return {
    ...t,
    /** Proposes a call of Claude Code, which works in the world's folder. */
    propose: async (toolName: string, args: Record<string, unknown>, cwd: string | null = inFolder('world')) => {
      const real = cwd === null || realpathSync(cwd) === cwd ? {} : { realCwd: realpathSync(cwd) };
      const runs = { where: 'program', reports: true, ...(cwd === null ? {} : { cwd }), ...real } as const;
      return await t.propose({ key: `k${(calls += 1)}`, toolName: `claude__${toolName}`, arguments: args, runs });
    },
  };
}

const change = (path: string, old_string = 'two', new_string = 'TWO') => ({ file_path: path, old_string, new_string });

describe('[CHANGE9.6] an edit that another program makes itself', () => {
  it('is shown as a change of the file as it is now, with the effect list, and nothing is an effect', async () => {
    const t = await openHere();
    await t.propose('Edit', change(inWorld('src/a.txt')));
    await t.propose('Write', { file_path: inWorld('new/b.txt'), content: 'b\n' });
    const [edit, write] = await t.pending();
    expect(edit?.preview).toEqual({
      text: '--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three',
      truncated: false,
    });
    const lines = { added: 1, removed: 1 };
    const changed = { path: 'src/a.txt', change: 'changed', kind: 'file', bytes: 14, lines };
    expect(edit?.prediction).toMatchObject({ ofFiles: true, files: [changed] });
    expect(write?.prediction?.files).toMatchObject([
      { path: 'new', change: 'added', kind: 'folder' },
      { path: 'new/b.txt', change: 'added', kind: 'file', lines: { added: 1, removed: 0 } },
    ]);
    for (const card of [edit, write]) {
      expect(card).not.toHaveProperty('effect');
      expect(card).not.toHaveProperty('noEffect');
    }
    expect(t.events.map(({ type }) => type)).not.toContain('TOOL_REHEARSED');
  });

  it('[CALL7.1] [CALL7.2] needs approval again if the file isn’t as it was shown when the call is claimed', async () => {
    const t = await openHere();
    const { id } = await t.propose('Edit', change('src/a.txt'));
    await t.approve();
    writeFileSync(inWorld('src/a.txt'), 'zero\ntwo\n');
    expect(await t.claim(id)).toMatchObject({ state: 'pending' });
    const [again] = await t.pending();
    expect(again?.reason).toMatchObject({ changedSince: 'approved' });
    expect(again?.preview?.text).toContain(' zero\n-two\n+TWO');
    expect(await t.approve()).toMatchObject({ kind: 'recorded' });
    expect(await t.claim(id)).toMatchObject({ state: 'allowed', arguments: change('src/a.txt') });
  });

  it('[CALL7.2] can’t be approved once the file has changed, appeared or gone since the card', async () => {
    const t = await openHere();
    await t.propose('Write', { file_path: 'src/new.txt', content: 'mine\n' });
    writeFileSync(inWorld('src/new.txt'), 'theirs\n');
    expect(await t.approve()).toMatchObject({ code: 'changed' });
    const [card] = await t.pending();
    expect(card?.reason).toMatchObject({ changedSince: 'shown', changed: ['content'] });
    expect(card?.prediction?.files).toMatchObject([{ path: 'src/new.txt', change: 'changed' }]);
    expect(card?.preview?.text).toContain('-theirs\n+mine');
    rmSync(inWorld('src/new.txt'));
    expect(await t.approve()).toMatchObject({ code: 'changed' });
    expect(await t.approve()).toMatchObject({ kind: 'recorded' });
  });

  it('[CALL7.4] shows what the edited call writes', async () => {
    const t = await openHere();
    const { id } = await t.propose('Edit', change('src/a.txt'));
    expect(await t.approve({ arguments: change('src/a.txt', 'three', '3') })).toMatchObject({ code: 'changed' });
    const [card] = await t.pending();
    expect(card?.preview?.text).toContain('-three\n+3');
    await t.approve();
    expect(await t.claim(id)).toMatchObject({ state: 'allowed', edited: true });
  });

  it.each([
    ['no-match', change('src/a.txt', 'gone')],
    ['several-matches', change('src/a.txt', 'e')],
    ['no-file', change('src/b.txt')],
    ['does-not-apply', change('src/a.txt', '')],
  ])(
    '[CHANGE9.8] says that its arguments don’t apply (%s), shows no change, and the approval covers the file',
    async (reason, args) => {
      const t = await openHere();
      const { id } = await t.propose('Edit', args);
      const [card] = await t.pending();
      expect(card).toMatchObject({ noEffect: { reason } });
      expect(card).not.toHaveProperty('prediction');
      expect(card).not.toHaveProperty('preview');
      await t.approve();
      writeFileSync(inWorld(args.file_path), `two ${args.old_string}`);
      expect(await t.claim(id)).toMatchObject({ state: 'pending' });
      expect((await t.pending())[0]?.reason).toMatchObject({ changedSince: 'approved' });
    },
  );

  it('[CHANGE9.7] reads no file outside the world’s folder, through a link, of another kind or beyond the size limit', async () => {
    const t = await openHere();
    writeFileSync(inFolder('outside.txt'), 'two treasure\n');
    symlinkSync(inFolder('outside.txt'), inWorld('link.txt'));
    symlinkSync(inFolder('.'), inWorld('up'));
    symlinkSync('src', inWorld('inner'));
    execFileSync('mkfifo', [inWorld('pipe')]);
    writeFileSync(inWorld('binary'), Buffer.from([0x74, 0x77, 0x6f, 0xff, 0xfe]));
    writeFileSync(inWorld('large'), '');
    truncateSync(inWorld('large'), 16 * 1024 * 1024 + 1);
    const paths = ['link.txt', 'up/outside.txt', 'inner/a.txt', 'pipe', 'binary', 'large', 'src', '.'];
    for (const path of paths) await t.propose('Edit', change(path));
    await t.propose('Edit', change('../outside.txt'));
    await t.propose('Edit', change(inFolder('outside.txt')));
    await t.propose('Edit', change('outside.txt'), inFolder('.'));
    await t.propose('Edit', change(inWorld('src/a.txt')), null);
    await t.propose('Edit', { ...change('src/a.txt'), encoding: 'utf16' });
    const cards = await t.pending();
    expect(cards.map(({ noEffect }) => noEffect?.reason)).toEqual([
      ...paths.map(() => 'unreadable'),
      ...Array.from({ length: 4 }, () => 'other-folder'),
      'unclear',
    ]);
    expect(JSON.stringify(cards)).not.toContain('treasure');
    expect(cards.some(({ prediction, preview }) => (prediction ?? preview) !== undefined)).toBe(false);
  });

  it('[CHANGE9.7] reads no file that rules hide from reading, but one for which a person is asked', async () => {
    const t = await openHere({ policy: ['deny read_file(./secret/**)', 'ask *(./src/**)'] });
    mkdirSync(inWorld('secret'));
    writeFileSync(inWorld('secret/key'), 'two treasure\n');
    await t.propose('Edit', change('secret/key'));
    await t.propose('Write', { file_path: 'src/../SECRET/key', content: '' });
    await t.propose('Edit', change('src/a.txt'));
    const [hidden, also, asked] = await t.pending();
    expect([hidden?.noEffect, also?.noEffect]).toEqual([{ reason: 'hidden' }, { reason: 'hidden' }]);
    expect(JSON.stringify([hidden, also])).not.toContain('treasure');
    expect(asked?.prediction?.files).toMatchObject([{ path: 'src/a.txt' }]);
  });

  it('names paths as the program sees them, also if it works in a subfolder or names its folder by a link', async () => {
    const t = await openHere();
    symlinkSync(inWorld('src'), inFolder('link'));
    await t.propose('Edit', change('a.txt'), inWorld('src'));
    await t.propose('Edit', change('a.txt'), inFolder('link'));
    await t.propose('Edit', change(inFolder('link/a.txt')), inFolder('link'));
    const files = (await t.pending()).map(({ prediction }) => prediction?.files);
    const seen = [expect.objectContaining({ path: 'a.txt', change: 'changed' })];
    expect(files).toEqual([seen, seen, seen]);
  });

  it('is masked, and shows text that isn’t a change of a binary file as replaced', async () => {
    const t = await openHere();
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    writeFileSync(inWorld('keys.txt'), `token ${secret}\ntwo\n`);
    writeFileSync(inWorld('binary'), Buffer.from([0, 1, 2, 0xff]));
    await t.propose('Edit', change('keys.txt'));
    await t.propose('Write', { file_path: 'binary', content: 'text' });
    const cards = await t.pending();
    expect(JSON.stringify(cards)).not.toContain(secret);
    expect(cards[1]?.preview).toMatchObject({
      truncated: true,
      text: expect.stringContaining('binary file of 4 bytes') as string,
    });
    expect(cards[1]?.prediction?.files).toMatchObject([{ change: 'changed', noDiff: 'binary' }]);
  });

  it('[CHANGE9.2] is read by no rule about effects, and rules decide without it', async () => {
    const t = await openHere({ policy: ['allow claude__Edit(./src/**)', 'deny write_file(./src/b.txt)'] });
    expect(await t.claim((await t.propose('Edit', change('src/a.txt'))).id)).toMatchObject({ state: 'allowed' });
    expect(await t.claim((await t.propose('Write', { file_path: 'src/b.txt', content: '' })).id)).toMatchObject({
      state: 'denied',
    });
  });

  it('[EXT3.4] is computed for an ACP agent that shows the change with a title', async () => {
    const t = await openAcpWorld(inFolder('world'));
    const diff = (oldText: string | null, newText: string) => ({
      ...{ toolCallId: `c${newText}`, title: 'Edit a.txt', kind: 'edit' },
      locations: [{ path: inWorld('src/a.txt') }],
      content: [{ type: 'diff', path: inWorld('src/a.txt'), oldText, newText }],
    });
    await t.tell([{ ask: [diff('one\ntwo\nthree\n', 'one\n2\nthree\n'), diff('gone', 'x')] }]);
    const [fits, doesNot] = await t.pending();
    expect(fits?.prediction?.files).toMatchObject([{ path: 'src/a.txt', lines: { added: 1, removed: 1 } }]);
    expect(fits?.preview?.text).toContain('-two\n+2');
    expect(doesNot).toMatchObject({ noEffect: { reason: 'no-match' } });
    expect(doesNot).not.toHaveProperty('preview');
    await t.engine.close();
  });
});
