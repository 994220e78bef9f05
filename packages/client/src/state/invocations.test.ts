import { expect, it } from 'vitest';
import { learnApproval, learnResult } from './invocations.js';
import type { ApprovalView, ChatState } from './state.js';
import { emptyTable, get, set } from './table.js';

type CallState = Pick<ChatState, 'invocations' | 'openInvocations' | 'approvals'>;

it('[CALL7.4] [CHANGE6.9] an edited call that failed shows its own result, not the envelope for the model', () => {
  const edited = { command: 'false' };
  const approval: ApprovalView = {
    approvalId: 'approval_1',
    invocationId: 'call_1',
    chatId: 'chat',
    agentId: 'ada',
    toolName: 'shell_cmd',
    arguments: { command: 'true' },
    message: '',
    options: ['approve_once', 'deny'],
    callHash: 'hash',
    requestedAt: '2026-01-01T00:00:00.000Z',
    workingDirectory: '/work',
    sandbox: { kind: 'none', network: 'all', hosts: [], readable: [] },
    reason: { code: 'no-rule' },
    // Another approval, of the edited call, replaced this one.
    decision: { outcome: 'superseded', scope: 'once', at: '2026-01-01T00:00:01.000Z', editedArguments: edited },
  };
  const empty: CallState = { invocations: emptyTable(), openInvocations: [], approvals: emptyTable() };
  const asked = learnApproval({ ...empty, approvals: set(empty.approvals, 'approval_1', approval) }, approval);
  const told = { edited_by_person: edited, result: { exitCode: 1 } };
  const ended = learnResult(asked, {
    invocationId: 'call_1',
    agentId: 'ada',
    end: { kind: 'failed', error: 'the command exited with code 1', result: told },
    at: '2026-01-01T00:00:02.000Z',
  });
  expect(get(ended.invocations, 'call_1')).toMatchObject({
    editedArguments: edited,
    status: { kind: 'failed', result: { exitCode: 1 } },
  });
});
