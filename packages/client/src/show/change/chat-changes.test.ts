import type { Effect } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { ApprovalView, Decision, Invocation } from '../../state/state.js';
import { emptyTable, setAll } from '../../state/table.js';
import { chatChanges } from './chat-changes.js';

const effect: Effect = {
  files: [{ path: 'a.txt', change: 'added', kind: 'file' }],
  leftOut: [],
  effectHash: 'x',
  exitCode: 0,
  output: '',
  truncated: false,
};
const approved: Partial<Decision> = { outcome: 'approved', scope: 'once' };

interface Told extends Partial<Pick<Invocation, 'toolName' | 'arguments' | 'status' | 'undone'>> {
  decision?: Partial<Decision>;
  effect?: Effect;
}

/** What is listed of these calls, each a minute after the one before. */
function listed(calls: Readonly<Record<string, Told>>, kept: readonly string[] = []): string[] {
  const all = Object.entries(calls).map(([id, { decision, effect: shown, ...told }], at) => {
    const call = {
      invocationId: id,
      toolName: 'shell_cmd',
      agentId: 'mason',
      arguments: { command: 'make' },
      status: { kind: 'succeeded', result: null },
      settledAt: `2026-11-15T08:0${at}:00.000Z`,
      approvalIds: decision === undefined ? [] : [`approval ${id}`],
      ...told,
    } as Invocation;
    return { call, approval: { approvalId: `approval ${id}`, decision, effect: shown } as unknown as ApprovalView };
  });
  const invocations = setAll(
    emptyTable<Invocation>(),
    all.map(({ call }) => [call.invocationId, call] as const),
  );
  const approvals = setAll(
    emptyTable<ApprovalView>(),
    all.map(({ approval }) => [approval.approvalId, approval] as const),
  );
  return chatChanges({ invocations, approvals }, new Set(kept)).map(({ call, signed, entries, isUnsure }) =>
    [
      call.invocationId,
      signed === undefined ? entries.map(({ path }) => path).join() : 'signed',
      isUnsure ? 'unsure' : '',
    ]
      .join(' ')
      .trimEnd(),
  );
}

const failed = (outcome?: 'conflict' | 'interrupted'): Invocation['status'] => ({
  kind: 'failed',
  error: 'no',
  ...(outcome === undefined ? {} : { outcome }),
});

describe('[PAGE7.1] the calls of a chat that changed files', () => {
  it('are those whose effect was signed, newest first', () => {
    const nothing = { ...effect, files: [] };
    const list = listed({
      first: { decision: approved, effect },
      none: { decision: approved, effect: nothing },
      denied: { decision: { outcome: 'denied' }, effect, status: { kind: 'denied', reason: '' } },
      running: { decision: approved, effect, status: { kind: 'running' } },
      conflict: { decision: approved, effect, status: failed('conflict') },
      failed: { decision: approved, effect, status: failed() },
      second: { decision: approved, effect },
    });
    expect(list).toEqual(['second signed', 'failed signed unsure', 'first signed']);
  });

  it('never claim an effect that was not the one that was applied', () => {
    const list = listed(
      {
        released: { decision: { ...approved, released: {} }, effect },
        edited: { decision: { ...approved, editedArguments: {} }, effect },
        kept: { decision: { ...approved, released: {} }, effect },
      },
      ['kept'],
    );
    expect(list).toEqual(['kept']);
  });

  it('that nobody was asked about are listed with the file that they name, or if they can be undone', () => {
    const write = { toolName: 'write_file', arguments: { path: 'b.txt', content: 'x' } };
    const undone = { by: { kind: 'person', id: 'ada', name: 'Ada' } as const, at: '' };
    const list = listed({ write, read: {}, kept: {}, stopped: { status: failed('interrupted'), undone } }, ['kept']);
    expect(list).toEqual(['stopped', 'kept', 'write b.txt']);
  });
});
