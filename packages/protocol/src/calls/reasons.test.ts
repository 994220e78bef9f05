import { describe, expect, it } from 'vitest';
import { describeReason } from './describe-reason.js';
import { type AskReason, mapReason, type Reason } from './reasons.js';

describe('[CALL20] reasons', () => {
  it.each<[Reason, string]>([
    [{ code: 'no-rule' }, 'no rule allows this call'],
    [{ code: 'unpredictable', cause: { code: 'glob' } }, 'the command uses a glob, so no rule can judge it in advance'],
    [
      { code: 'not-coverable', cause: { code: 'runs-text', program: 'bash' } },
      '"bash" runs text as a script, so no rule can allow it',
    ],
    [
      { code: 'every-call', cause: { code: 'runs-later', path: '.git/hooks/x' } },
      'other programs may run .git/hooks/x later, outside the sandbox, so every such call needs approval',
    ],
    [
      { code: 'ask-rule', rule: 'ask rm', changedSince: 'approved' },
      'the call changed after it was approved; a rule requires approval: ask rm',
    ],
    [
      { code: 'no-rule', changedSince: 'shown', changed: ['folder'] },
      'the working folder was replaced with another one after the call was shown; no rule allows this call',
    ],
    [
      { code: 'untrusted-tool', tool: 'mcp__files__read' },
      "mcp__files__read comes from an MCP server that isn't trusted",
    ],
    [
      { code: 'untrusted-tool', tool: 'app__editor-1__pick' },
      "app__editor-1__pick comes from a client that isn't trusted",
    ],
    [{ code: 'untrusted-tool', tool: 'stamp' }, "stamp isn't trusted"],
  ])('describes %j', (reason, words) => {
    expect(describeReason(reason)).toBe(words);
  });

  it('[SAFE6] are masked in their texts but not in their codes', () => {
    const reason: AskReason = { code: 'every-call', cause: { code: 'told', text: 'star' }, changedSince: 'shown' };
    expect(mapReason(reason, () => '…')).toEqual({ ...reason, cause: { code: 'told', text: '…' } });
  });
});
