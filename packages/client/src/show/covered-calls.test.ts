import { expect, it } from 'vitest';
import { coveredLines, coveredTitle, grantMatch } from './covered-calls.js';

it('[A5] names the other waiting calls that a decision covers, and not the one that is decided', () => {
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
