import { expect, it } from 'vitest';
import { approvalOf, chatOf, drawn, messageOf, sceneOf, worldOf } from '../../testing/screen-fixture.js';
import { coveredPage, holdCovered, matchOf } from './confirm-covered.js';
import { initialUi, isArmed, type CardUi } from '../ui-state.js';

const listed = approvalOf(1);
const approval = { ...listed, invocationId: listed.toolCallId };
const answer = { decision: 'approve', scope: 'session', pattern: '*' } as const;
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

it('[CALL5.4] asks the server only if a decision covers more than its call', () => {
  expect(matchOf(approval, { decision: 'deny' })).toBeUndefined();
  expect(matchOf(approval, { decision: 'approve', scope: 'once' })).toBeUndefined();
  expect(matchOf(approval, answer)?.grant).toMatchObject({ agentId: approval.agentId, toolName: approval.toolName });
  expect(matchOf(approval, { decision: 'approve', scope: 'always', rule: 'allow x' })).toMatchObject({
    rule: 'allow x',
  });
});

it('[CALL5.4] [CALL15] runs covered calls only after exactly those were shown, and not on a repeated key', () => {
  expect(holdCovered(open, approval, answer, waiting(approval.invocationId), 9_000)).toBeUndefined();
  const held = holdCovered(open, approval, answer, waiting('a', 'b'), 9_000);
  expect(held?.covered?.rows).toEqual(['shell_cmd: rm a', 'shell_cmd: rm b']);
  expect(held).toMatchObject({ choice: { kind: 'session', isNarrow: false }, sending: new Set() });
  expect(held === undefined ? true : isArmed(held, 9_100)).toBe(false);
  expect(held === undefined ? 'sent' : holdCovered(held, approval, answer, waiting('a', 'b'), 9_900)).toBeUndefined();
  // Another call arrived in the meantime, so they are shown again.
  expect(
    held === undefined ? 'sent' : holdCovered(held, approval, answer, waiting('a', 'b', 'c'), 9_900),
  ).toMatchObject({
    covered: { rows: ['shell_cmd: rm a', 'shell_cmd: rm b', 'shell_cmd: rm c'] },
  });
});

it('[CALL5.4] shows every covered call to its end before it can be approved, a few rows at a time', () => {
  const many = Array.from({ length: 9 }, (_, index) => `n${index}${' a long name'.repeat(index)} end${index}`);
  let card: CardUi | undefined = open;
  const pages: string[][] = [];
  while (card !== undefined && pages.length < 99) {
    card = holdCovered(card, approval, answer, waiting(...many), 9_000);
    if (card?.covered !== undefined) pages.push([...coveredPage(card.covered).rows]);
  }
  expect(Math.max(...pages.map(({ length }) => length))).toBe(6);
  expect(Math.max(...pages.flat().map(({ length }) => length))).toBeLessThanOrEqual(56);
  const seen = pages
    .flat()
    .map((row) => row.trim())
    .join('');
  for (const name of many) expect(seen).toContain(name.slice(-4));
  // Even on the smallest screen, the card ends with a line that says what Enter does.
  const covered = { key: '', count: 9, rows: pages.flat(), from: 0 };
  const ui = { ...initialUi('chat'), focus: 'card' as const };
  const scene = sceneOf({
    world: worldOf([listed]),
    chat: chatOf([messageOf(1)], [listed]),
    size: { columns: 60, rows: 18 },
    ui: { ...ui, card: { ...open, sending: new Set(), covered } },
  });
  expect(drawn(scene).join('\n')).toContain('Enter shows the rest · Esc cancels');
});
