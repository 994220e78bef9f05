import { expect, it } from 'vitest';
import { approvalOf } from '../testing/screen-fixture.js';
import { coveredPage, holdCovered, matchOf } from './confirm-covered.js';
import { initialUi, isArmed, type CardUi } from './ui-state.js';

const listed = approvalOf(1);
const approval = { ...listed, invocationId: listed.toolCallId };
const answer = { decision: 'approve', scope: 'session' } as const;
const waiting = (...ids: string[]) =>
  ids.map((toolCallId) => ({
    toolCallId,
    approvalId: `approval_${toolCallId}`,
    chatId: approval.chatId,
    agentId: approval.agentId,
    toolName: 'shell_cmd',
    arguments: { command: `rm ${toolCallId}` },
  }));

const open: CardUi = {
  ...initialUi('chat').card,
  current: { kind: 'open', id: approval.approvalId },
  sending: new Set([approval.approvalId]),
};

it('[A5] asks the server only where a decision reaches further than its call', () => {
  expect(matchOf(approval, { decision: 'deny' })).toBeUndefined();
  expect(matchOf(approval, { decision: 'approve', scope: 'once' })).toBeUndefined();
  expect(matchOf(approval, answer)?.grant).toMatchObject({ agentId: approval.agentId, toolName: approval.toolName });
  expect(matchOf(approval, { decision: 'approve', scope: 'always', rule: 'allow x' })).toMatchObject({
    rule: 'allow x',
  });
});

it('[A5] [A17] sends what also runs waiting calls only after exactly those were shown, and not by a repeated key', () => {
  expect(holdCovered(open, approval, answer, waiting(approval.invocationId), 9_000)).toBeUndefined();
  const held = holdCovered(open, approval, answer, waiting('a', 'b'), 9_000);
  expect(held?.covered?.lines).toEqual(['shell_cmd: rm a', 'shell_cmd: rm b']);
  expect(held).toMatchObject({ choice: { kind: 'session', isNarrow: false }, sending: new Set() });
  expect(held === undefined ? true : isArmed(held, 9_100)).toBe(false);
  expect(held === undefined ? 'sent' : holdCovered(held, approval, answer, waiting('a', 'b'), 9_900)).toBeUndefined();
  // Another one came in meanwhile: shown again.
  expect(
    held === undefined ? 'sent' : holdCovered(held, approval, answer, waiting('a', 'b', 'c'), 9_900),
  ).toMatchObject({
    covered: { lines: ['shell_cmd: rm a', 'shell_cmd: rm b', 'shell_cmd: rm c'] },
  });
});

it('[A5] shows every covered call before it can be signed, a few at a time', () => {
  const many = Array.from({ length: 14 }, (_, index) => `n${index}`);
  let card: CardUi | undefined = open;
  const pages: string[][] = [];
  while (card !== undefined && pages.length < 9) {
    card = holdCovered(card, approval, answer, waiting(...many), 9_000);
    if (card?.covered !== undefined) pages.push([...coveredPage(card.covered)]);
  }
  expect(pages.map(({ length }) => length)).toEqual([6, 6, 2]);
  expect(pages.flat()).toEqual(many.map((name) => `shell_cmd: rm ${name}`));
});
