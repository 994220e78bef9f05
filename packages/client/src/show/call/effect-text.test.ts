import type { CallSandbox, Effect } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { isRehearsed } from './card-text.js';
import { argumentsWithHosts, hostsForNextRun, hostsToAllow } from './allow-host.js';
import { effectBrief, effectText } from './effect-text.js';

const effect: Effect = {
  files: [
    { path: 'old', change: 'removed', kind: 'folder', contains: 2 },
    { path: 'a\nb', change: 'removed', kind: 'file', bytes: 1 },
    { path: 'run.sh', change: 'changed', kind: 'file', mode: '0755', bytes: 10, diff: '@@ -1 +1 @@\n-a\n+b' },
    { path: 'theirs', change: 'changed', kind: 'file', owner: '0:0', bytes: 9 },
    { path: 'new.txt', change: 'moved', from: 'old.txt', kind: 'file', bytes: 2048 },
    { path: 'l', change: 'added', kind: 'link', target: 'run.sh' },
    { path: 'n.txt', change: 'added', kind: 'file', mode: '0644', bytes: 1, diff: '@@ -0,0 +1 @@\n+n' },
    { path: 'open.txt', change: 'added', kind: 'file', mode: '0666', bytes: 1, diff: '@@ -0,0 +1 @@\n+o' },
  ],
  leftOut: [{ path: '.git/hooks', why: 'programs run it automatically' }],
  effectHash: 'x',
  exitCode: 2,
  output: 'done\n',
  truncated: false,
};

it('[PAGE6.3] counts the changed paths for a row, removed ones first', () => {
  const [first] = effect.files;
  if (first === undefined) throw new Error('there is no file');
  expect(effectBrief({ effect })).toBe('−2 ~2 →1 +3 files');
  expect(effectBrief({ effect: { ...effect, files: [first], unlisted: 4 } })).toBe('−1 and 4 more files');
  expect(effectBrief({ prediction: { ...effect, files: [first] } })).toBe('probably −1 file');
  expect(effectBrief({ effect: { ...effect, files: [] } })).toBe('changes no files');
  expect(effectBrief({})).toBeUndefined();
});

it('[CALL15] says what a call will do, destructive parts first, with every name on one line', () => {
  const text = effectText({ effect });
  expect(text).toMatchObject({
    sentence: 'Removes 1 file and 1 folder with 2 files, changes 2 files, moves 1 file, adds 2 files and 1 link',
    isKnown: true,
    isDestructive: true,
    output: 'done\n',
  });
  expect(text?.files.map(({ sign, path, about }) => `${sign} ${path} | ${about}`)).toEqual([
    '− old | folder with 2 files',
    '− a\\u{a}b | 1 byte',
    '~ run.sh | executable (0755)',
    '~ theirs | owner becomes 0:0, 9 bytes',
    '→ new.txt | from old.txt, 2,048 bytes',
    '+ l | link to run.sh',
    '+ n.txt | ',
    '+ open.txt | permissions 0666',
  ]);
  expect(text?.guess).toBe('A new file with the content of a removed one counts as moved.');
  expect(effectText({ effect: { ...effect, files: [] } })?.guess).toBe('');
  expect(text?.notes).toEqual([
    'The command fails with exit code 2.',
    'Will not be applied: .git/hooks (programs run it automatically)',
  ]);
  const cut = effectText({ effect: { ...effect, exitCode: 0, leftOut: [], truncated: true, unlisted: 3 } });
  expect(cut?.sentence).toMatch(/, and 3 more$/);
  expect(cut?.notes).toEqual(['3 more paths are not listed.', 'Not all of it is shown. Approving covers all of it.']);
});

it('[CHANGE9.5] says that the program runs it itself, and lists what an approval of ours would leave out', () => {
  const sandbox: CallSandbox = { kind: 'external', network: 'unknown', hosts: [], readable: [], detail: 'Claude Code' };
  const text = effectText({ prediction: { ...effect, truncated: true, hidden: 2 }, sandbox, toolName: 'claude__Bash' });
  expect(text).toMatchObject({
    sentence: expect.stringMatching(/^Probably removes 1 file and/) as string,
    isDestructive: true,
    isTruncated: false,
    notes: [
      'The command failed with exit code 2 when it was rehearsed.',
      'Rules hid 2 paths from the rehearsal, but not from Claude Code, which may read or change them.',
      'Also changes .git/hooks',
      'Not all of it is shown.',
    ],
    prediction:
      'Predicted, not guaranteed: the command was rehearsed in a draft without network. Claude Code runs this itself, so the effect may differ.',
  });
  const edit = effectText({
    prediction: { ...effect, exitCode: 0, leftOut: [], truncated: true, ofFiles: true },
    sandbox,
  });
  expect(edit).toMatchObject({
    notes: [],
    prediction:
      'Predicted, not guaranteed: computed from the file as it is now. Claude Code writes it itself. If the file changes before that, the call needs approval again.',
  });
  expect(edit?.files.flatMap(({ diff }) => diff)).toEqual([]);
  const many = effectText({
    prediction: { ...effect, exitCode: 0, leftOut: [], truncated: true, unlisted: 3 },
    sandbox,
  });
  expect(many?.notes).toEqual(['3 more paths are not listed.']);
  expect(text?.files.map(({ path }) => path)).toEqual(effectText({ effect })?.files.map(({ path }) => path));
  expect(isRehearsed({ toolName: 'claude__Bash' })).toBe(false);
});

it('[CHANGE8.6] says that there was no network and what was tried, and doesn’t say that approving applies “exactly this”', () => {
  const curl = { ...effect, files: [], leftOut: [], exitCode: 6, truncated: false, triedHosts: ['example.com'] };
  const text = effectText({ effect: curl, toolName: 'shell_cmd' });
  expect(text).toMatchObject({
    sentence: 'Changes no files',
    notes: [
      'The sandbox has no network, and the command tried to reach example.com.',
      'Without network, it ends with exit code 6.',
    ],
    withoutNetwork: expect.stringContaining('Approving applies only this') as string,
  });
  expect(effectText({ prediction: curl })?.notes[0]).toBe(
    'The rehearsal had no network, and it tried to reach example.com.',
  );
  const asked = { toolName: 'shell_cmd', effect: curl, options: ['deny', 'approve_once'] } as const;
  expect(hostsToAllow({ ...asked, options: [...asked.options] })).toEqual(['example.com']);
  // Rules open private addresses; a call that can't be edited can't be given hosts.
  const others = { ...curl, triedHosts: ['localhost', '10.0.0.1', 'x_y.example'] };
  expect(hostsToAllow({ ...asked, options: [...asked.options], effect: others })).toEqual([]);
  expect(hostsToAllow({ ...asked, options: [...asked.options], needs: [] })).toEqual([]);
  expect(argumentsWithHosts({ command: 'curl', hosts: ['a.org'] }, ['example.com', 'a.org'])).toEqual({
    command: 'curl',
    hosts: ['a.org', 'example.com'],
  });
});

it('[RUN22.2] offers the first public names that a run was refused for the next one', () => {
  const hosts = [
    'a.example',
    'a.example',
    '10.0.0.1',
    'localhost',
    'x y.example',
    ...['b', 'c', 'd', 'e', 'f'].map((c) => `${c}.example`),
  ];
  const tried = hosts.map((host) => ({ host, port: 443, allowed: false, count: 1 }));
  const reached = { host: 'reached.example', port: 443, allowed: true, count: 1 };
  const run = { program: ['make'], exitCode: 0, hosts: [reached, ...tried] };
  expect(hostsForNextRun({ effect: { ...effect, run } })).toEqual(['a', 'b', 'c', 'd', 'e'].map((c) => `${c}.example`));
  expect(hostsForNextRun({ effect })).toEqual([]);
});

it('says why it is unknown, and nothing for tools that never rehearse', () => {
  expect(effectText({ noEffect: { reason: 'network' } })).toMatchObject({
    sentence: 'It is unknown what this will change. It may use the network, so it can only run once, after approval.',
    isKnown: false,
  });
  expect(effectText({})).toBeUndefined();
});

it('[CHANGE7] [CHANGE7.1] repeats no lines of a file tool, whose call shows them to their end, and doesn’t call it rehearsed', () => {
  const [file] = effect.files.filter(({ path }) => path === 'n.txt');
  const written = { ...effect, files: file === undefined ? [] : [file], leftOut: [], exitCode: 0, truncated: true };
  expect(effectText({ effect: written, toolName: 'write_file' })).toMatchObject({
    sentence: 'Adds 1 file',
    isKnown: true,
    files: [{ sign: '+', path: 'n.txt', about: '', diff: [] }],
    notes: [],
    isRehearsed: false,
    isTruncated: false,
  });
  const command = effectText({ effect: written, toolName: 'shell_cmd' });
  expect(command).toMatchObject({ isRehearsed: true, isTruncated: true });
  expect(command?.files[0]?.diff).toHaveLength(1);
  expect(isRehearsed({ effect: written, toolName: 'edit_file' })).toBe(false);
  expect(isRehearsed({ effect: written, toolName: 'shell_cmd' })).toBe(true);
});
