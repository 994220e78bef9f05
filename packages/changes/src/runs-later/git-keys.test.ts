import { describe, expect, it } from 'vitest';
import { kindOfSetting, wordsOfCommand } from './git-keys.js';

describe('kindOfSetting', () => {
  it.each([
    ['core.hookspath', 'folder'],
    ['include.path', 'file'],
    ['includeif.onbranch:a.b/c.path', 'file'],
    ['core.worktree', 'root'],
    ['core.fsmonitor', 'command'],
    ['core.sshcommand', 'command'],
    ['filter.My.Lfs.clean', 'command'],
    ['diff.x.textconv', 'command'],
    ['diff.external', 'command'],
    ['merge.x.driver', 'command'],
    ['gpg.ssh.program', 'command'],
    ['hook.lint.command', 'command'],
    ['gc.recentobjectshook', 'command'],
    ['sendemail.work.headercmd', 'command'],
    ['user.name', undefined],
    ['branch.main.merge', undefined],
  ] as const)('%s: %s', (key, kind) => {
    expect(kindOfSetting(key, 'x')).toBe(kind);
  });

  it('treats an alias or update as a program only if it starts with an exclamation mark', () => {
    expect([kindOfSetting('alias.st', 'status'), kindOfSetting('alias.st', ' !./x')]).toEqual([undefined, 'command']);
    expect([kindOfSetting('submodule.a.update', 'merge'), kindOfSetting('submodule.a.update', '!x')]).toEqual([
      undefined,
      'command',
    ]);
  });

  it.each([
    ['store', undefined],
    ['gcloud.sh', undefined],
    ['!./secret', 'command'],
    ['/opt/secret', 'command'],
    ['tools/../../secret', 'command'],
    ['store; ./secret', 'command'],
  ] as const)('treats the credential helper %s as %s', (value, kind) => {
    expect(kindOfSetting('credential.https://example.com.helper', value)).toBe(kind);
  });
});

describe('wordsOfCommand', () => {
  it.each([
    ['tools/clean %f', 'tools/clean'],
    ['!sh -c "./a.sh; b/c.sh"', './a.sh', 'b/c.sh'],
    ['!f() { tools/x "$@"; }; f', 'tools/x'],
    [`'my tools/x.sh' --fast`, 'my tools/x.sh'],
    [String.raw`my\ tools/x.sh`, 'my tools/x.sh'],
    ['$(git rev-parse --show-toplevel)/tools/x', './tools/x'],
    ['"$GIT_DIR/../tools/x"', 'GIT_DIR/../tools/x'],
    ['PATH=./bin:$PATH x', './bin'],
    ['ssh -F ./ssh.conf', './ssh.conf'],
    ['ext::tools/x %S', 'tools/x'],
    ['python3 tc.py', 'tc.py'],
  ])('%s', (command, ...words) => {
    expect(wordsOfCommand(command)).toEqual(expect.arrayContaining(words));
  });

  it('has no options', () => {
    expect(wordsOfCommand('a --b -c')).toEqual(['a']);
  });
});
