import type { Effect, RunEffect } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { effectText } from './effect-text.js';

const run: RunEffect = {
  program: ['npm', 'test', 'a b'],
  exitCode: 3,
  commits: [{ id: 'a'.repeat(40), subject: 'core: fix\nit', message: 'core: fix', author: 'Ada <a@b.c>', files: 2 }],
  refs: [
    { name: 'refs/heads/main', from: 'b'.repeat(40), to: 'a'.repeat(40), how: 'moves' },
    { name: 'refs/tags/v1', to: 'a'.repeat(40), how: 'new' },
    { name: 'refs/heads/old', from: 'b'.repeat(40), how: 'deleted' },
    { name: 'refs/stash', how: 'stays', why: 'other-ref' },
  ],
  notApplied: [{ path: 'node_modules', files: 4812, hint: 'npm ci' }],
  hosts: [
    { host: 'registry.npmjs.org', port: 443, allowed: true, count: 2 },
    { host: 'evil.example', port: 443, allowed: false, count: 1 },
  ],
  variables: ['PATH', 'TERM'],
  hidden: 2,
  trackedHidden: true,
  changedOutside: ['notes.txt'],
  notes: ['The model gateway refused: GET /x\ny.'],
  login: { agent: 'codex', file: '/home/ada/.codex/auth.json', account: 'same', hash: 'x' },
};
const effect: Effect = {
  files: [{ path: 'a.txt', change: 'changed', kind: 'file' }],
  leftOut: [],
  effectHash: 'x',
  exitCode: 3,
  output: '',
  truncated: false,
  run,
};

it('[RUN31.2] says first what people asked for, and what is different since', () => {
  const requests = [{ by: 'Ann', message: 'Keep\nit.', comments: 2 }];
  const sinceLook = { added: ['b\n'], changed: ['a'], removed: ['c'], unlisted: 3 };
  const text = effectText({ effect: { ...effect, run: { ...run, requests, sinceLook } }, toolName: 'run' });
  expect(text?.run?.before.slice(0, 2)).toEqual([
    { title: 'Changes that were asked for', lines: ['Ann: Keep it. (and 2 comments)'] },
    {
      title: 'Since this was last proposed',
      lines: ['a: changed again', String.raw`b\u{a}: was not part of it`, 'c: is no longer part of it', '3 more paths'],
    },
  ]);
  const same = { added: [], changed: [], removed: [], unlisted: 0 };
  const none = effectText({ effect: { ...effect, run: { ...run, sinceLook: same } }, toolName: 'run' });
  expect(none?.run?.before[0]?.lines).toEqual(['Nothing is different.']);
});

it('[RUN22] says what a run did besides its files, commits first, each on one line', () => {
  const text = effectText({ effect, toolName: 'run' });
  expect(text?.run?.before).toEqual([
    { title: '1 commit', lines: ['aaaaaaaaa core: fix\\u{a}it (Ada <a@b.c>, 2 files)'] },
    {
      title: 'Branches and tags',
      lines: [
        'refs/heads/main: bbbbbbbbb → aaaaaaaaa',
        'refs/tags/v1: new, at aaaaaaaaa',
        'refs/heads/old: deleted, was bbbbbbbbb',
      ],
    },
  ]);
  expect(text?.run?.after).toEqual([
    { title: 'Ignored files, not applied', lines: ['node_modules: 4,812 files; npm ci makes it again'] },
    { title: 'References that stay as they are', lines: ['refs/stash (only branches and tags are applied)'] },
    {
      title: 'Hosts that it tried to reach',
      lines: [
        'registry.npmjs.org:443: reached 2 times',
        'evil.example:443: refused once; allow it next time with --allow-host evil.example',
      ],
    },
    { title: 'Environment variables that it could read', lines: ['PATH, TERM'] },
    { title: 'Changed in the folder by others while it ran', lines: ['notes.txt'] },
  ]);
  expect(text?.notes).toEqual([
    'The model gateway refused: GET /x\\u{a}y.',
    'The program ended with exit code 3.',
    'Renews your login of codex in /home/ada/.codex/auth.json.',
    'Rules hid 2 paths from the program.',
    'Git tracks a hidden path, so the program could read its old versions.',
  ]);
});

it('[RUN14.1] says what becomes of a login of another account', () => {
  const note = (login: Partial<NonNullable<RunEffect['login']>>): string | undefined => {
    const all = { agent: 'codex', file: '/f', account: 'other', hash: 'x', ...login } as const;
    return effectText({ effect: { ...effect, run: { program: ['a'], exitCode: 0, login: all } }, toolName: 'run' })
      ?.notes[0];
  };
  expect(note({})).toMatch(/of another account\. It is not written to \/f, .* --include-login\.$/);
  expect(note({ account: 'unknown', included: true })).toBe(
    'Replaces your login of codex in /f with one of an account that can’t be compared.',
  );
});
