import { expect, it } from 'vitest';
import { coveredGroups, coveredLines, coveredTitle, grantMatch } from './covered-calls.js';

it('[A5.4] [X4] separates calls that run now from those that wait for the next server', () => {
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
    { when: 'now', lines: ['shell_cmd: rm 2', 'shell_cmd: rm 3'] },
  ]);
  expect(coveredGroups(waiting, decided, { endsSoon: true })).toEqual([
    { when: 'now', lines: ['shell_cmd: rm 2'] },
    { when: 'later', lines: ['shell_cmd: rm 3'] },
  ]);
  expect(coveredTitle(1, 'later')).toBe('Also runs 1 waiting call once a server is running:');
});

it('[A5.4] lists the other waiting calls that a decision covers, without the decided one', () => {
  const call = (toolCallId: string, command: string) => ({
    toolCallId,
    approvalId: `approval_${toolCallId}`,
    chatId: 'c',
    agentId: 'ada',
    toolName: 'shell_cmd',
    arguments: { command },
  });
  const lines = coveredLines([call('1', 'ls'), call('2', 'rm a')], { invocationId: '1' });
  expect(lines).toEqual(['shell_cmd: rm a']);
  expect([coveredTitle(1), coveredTitle(2)]).toEqual([
    'Also runs 1 waiting call now:',
    'Also runs 2 waiting calls now:',
  ]);
  const asked = { chatId: 'c', agentId: 'ada', toolName: 'shell_cmd' };
  expect(grantMatch(asked, undefined)).toEqual({ chatId: 'c', grant: { agentId: 'ada', toolName: 'shell_cmd' } });
  expect(grantMatch(asked, 'rm *').grant).toMatchObject({ pattern: 'rm *' });
});

it('[A5.4] lists all arguments of another program’s call, because the decision releases it', () => {
  const call = { approvalId: 'approval_2', chatId: 'c', agentId: 'ada', toolName: 'claude__Bash' };
  const args = { command: 'make', dangerouslyDisableSandbox: true };
  const waiting = [{ ...call, toolCallId: '2', arguments: args }];
  const [line] = coveredLines(waiting, { invocationId: '1' });
  expect(line).toBe('claude__Bash: make, dangerouslyDisableSandbox: true');
});
