import { expect, it } from 'vitest';
import { chatScopeText, coveredGroups, coveredLines, coveredTitle, grantMatch } from './covered-calls.js';

it('[CALL5.4] [TERM4] separates calls that run now from those that wait for the next server', () => {
  const call = (toolCallId: string, chatId: string) => ({
    toolCallId,
    approvalId: `approval_${toolCallId}`,
    chatId,
    agentId: 'ada',
    toolName: 'shell_cmd',
    arguments: { command: `rm ${toolCallId}` },
  });
  const waiting = [call('1', 'c'), call('2', 'c'), call('3', 'd')];
  const decided = { invocationId: '1', chatId: 'c' };
  expect(coveredGroups(waiting, decided, { endsSoon: false })).toEqual([
    { when: 'now', calls: [['shell_cmd: rm 2'], ['shell_cmd: rm 3']] },
  ]);
  expect(coveredGroups(waiting, decided, { endsSoon: true })).toEqual([
    { when: 'now', calls: [['shell_cmd: rm 2']] },
    { when: 'later', calls: [['shell_cmd: rm 3']] },
  ]);
  expect(coveredTitle(1, 'later')).toBe('Also runs 1 waiting call once a server is running:');
});

it('[CALL5.4] lists the other waiting calls that a decision covers, without the decided one', () => {
  const call = (toolCallId: string, command: string) => ({
    toolCallId,
    approvalId: `approval_${toolCallId}`,
    chatId: 'c',
    agentId: 'ada',
    toolName: 'shell_cmd',
    arguments: { command },
  });
  const lines = coveredLines([call('1', 'ls'), call('2', 'rm a')], { invocationId: '1' });
  expect(lines).toEqual([['shell_cmd: rm a']]);
  expect([coveredTitle(1), coveredTitle(2)]).toEqual([
    'Also runs 1 waiting call now:',
    'Also runs 2 waiting calls now:',
  ]);
  const asked = { chatId: 'c', agentId: 'ada', toolName: 'shell_cmd' };
  expect(grantMatch(asked, undefined)).toEqual({ chatId: 'c', grant: { agentId: 'ada', toolName: 'shell_cmd' } });
  expect(grantMatch(asked, 'rm *').grant).toMatchObject({ pattern: 'rm *' });
  const elsewhere = { ...asked, session: { any: false, folder: '/srv/b' } };
  expect(grantMatch(elsewhere, 'rm a').grant).toMatchObject({ pattern: 'rm a', folder: '/srv/b' });
});

it('[CALL5.4] lists all arguments of another program’s call, because the decision releases it', () => {
  const call = { approvalId: 'approval_2', chatId: 'c', agentId: 'ada', toolName: 'claude__Bash' };
  const args = { command: 'make', dangerouslyDisableSandbox: true };
  const waiting = [{ ...call, toolCallId: '2', arguments: args }];
  expect(coveredLines(waiting, { invocationId: '1' })).toEqual([
    ['claude__Bash: make', '  dangerouslyDisableSandbox: true'],
  ]);
});

it('[CALL5.4] [CALL18.2] lists covered calls to their end, with what each will do', () => {
  const call = { toolCallId: '2', approvalId: 'approval_2', chatId: 'c', agentId: 'ada' };
  const command = `echo ${'x'.repeat(500)}\nrm -rf build`;
  const effect = {
    files: [{ path: 'build', change: 'removed', kind: 'folder', contains: 9 }] as const,
    leftOut: [],
    effectHash: 'h',
    exitCode: 1,
    output: '',
    truncated: false,
  };
  const waiting = [
    { ...call, toolName: 'shell_cmd', arguments: { command }, effect: { ...effect, files: [...effect.files] } },
    { ...call, toolName: 'write_file', arguments: { path: 'a', content: 'one\npath: b' } },
  ];
  expect(coveredLines(waiting, { invocationId: '1' })).toEqual([
    [
      `shell_cmd: echo ${'x'.repeat(500)}`,
      '    rm -rf build',
      '  Removes 1 folder with 9 files',
      '  − build (folder with 9 files)',
      '  The command fails with exit code 1.',
    ],
    ['write_file:', '  path: a', '  content: one', '    path: b'],
  ]);
});

it('[CALL5.2] says what a grant for this chat covers', () => {
  expect(chatScopeText('shell_cmd', '*')).toBe('every shell_cmd call');
  expect(chatScopeText('shell_cmd', 'ls ./**\nnpm test')).toBe('shell_cmd calls like ls ./** or npm test');
  expect(chatScopeText('claude__Bash', 'ls', '/srv/b')).toBe('claude__Bash calls like ls in /srv/b');
  expect(chatScopeText('claude__Bash', 'ls', 'unknown')).toBe('claude__Bash calls like ls in an unknown folder');
});
