import { type NeededSignatures, SYSTEM } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { decide, emptyBook, request, sign } from './approvals.js';
import type { ApprovalView, Decision } from './state.js';
import { get } from './table.js';

const asked: ApprovalView = {
  approvalId: 'approval_1',
  invocationId: 'call_1',
  chatId: 'chat_1',
  agentId: 'ada',
  toolName: 'stamp',
  arguments: {},
  message: 'Run stamp',
  options: ['deny', 'approve_once'],
  callHash: 'hash',
  requestedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:00:30.000Z',
  workingDirectory: '/',
  sandbox: { kind: 'none', network: 'all', hosts: [], readable: [] },
  reason: { code: 'no-rule' },
};
const expired: Decision = { outcome: 'expired', scope: 'once', by: SYSTEM, at: '2026-01-01T00:05:00.000Z' };

it('[CALL11] shows how long an expired approval waited, in either order of events', () => {
  const inOrder = decide(request(emptyBook(), asked), 'approval_1', expired);
  const late = request(decide(emptyBook(), 'approval_1', expired), asked);
  for (const book of [inOrder, late]) {
    // The wait ends at the expiry, not when the restarted server recorded it.
    expect(get(book.approvals, 'approval_1')?.decision).toEqual({ ...expired, waitedMs: 30_000 });
    expect(book.queue).toEqual([]);
  }
});

it('[SIGN1.3] shows the newest signatures, in either order of pages, until the approval is decided', () => {
  const need = (...names: string[]): NeededSignatures[] => [
    { rule: 'ask stamp by 2 of @finance', count: 2, of: 'finance', signed: names.map(person), may: [] },
  ];
  const shown = (book: ReturnType<typeof emptyBook>) => get(book.approvals, 'approval_1')?.needs;
  const book = request(emptyBook(), { ...asked, needs: need() });
  const signed = sign(book, 'approval_1', need('ada'));
  expect(shown(signed)).toEqual(need('ada'));
  // A message from an earlier page.
  expect(sign(signed, 'approval_1', need())).toBe(signed);
  // The queue is read from the server: a signature may have stopped counting.
  expect(shown(sign(signed, 'approval_1', need(), { listed: true }))).toEqual(need());
  expect(sign(signed, 'approval_2', need('ada'))).toBe(signed);
  const decided = decide(signed, 'approval_1', expired);
  expect(sign(decided, 'approval_1', need('ada', 'bob'))).toBe(decided);
});

function person(id: string): NeededSignatures['signed'][number] {
  return { kind: 'person', id, name: id };
}
