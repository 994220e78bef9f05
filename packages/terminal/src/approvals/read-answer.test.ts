import { viewOfApproval } from '@countersign/client';
import type { Approval } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offeredActions, type Asked } from '../card/card-keys.js';
import { approvalOf } from '../testing/screen-fixture.js';
import { describeChoices, readAnswer } from './read-answer.js';

const MASKED = { arguments: { command: 'a ‹masked 1›' } };
const TRIED = {
  effect: { files: [], leftOut: [], exitCode: 6, output: '', truncated: false, effectHash: 'e', triedHosts: ['a.com'] },
};

function offeredFor(more: Partial<Approval> = {}, asked: Partial<Asked> = {}) {
  const usual = { part: 'decide', isCut: false, hasOthers: false, hasMore: true } as const;
  return offeredActions(viewOfApproval(approvalOf(1, more)), { ...usual, ...asked });
}

const ALL = offeredFor();
const WORDS = ['o', 'once', 'c', 'chat', 'a', 'always', 'e', 'edit', 's', 'show'];

describe('a line typed at a card', () => {
  it.each([
    ['o', { kind: 'once' }],
    [' Once ', { kind: 'once' }],
    ['c', { kind: 'session' }],
    ['a', { kind: 'always' }],
    ['e', { kind: 'edit' }],
    ['s', { kind: 'more' }],
    ['d', { kind: 'deny', reason: 'no reason given' }],
    ['deny  not in   production', { kind: 'deny', reason: 'not in production' }],
    ['n', { kind: 'deny', reason: 'no reason given' }],
    ['', { kind: 'deny', reason: 'no reason given' }],
  ])('%j', (line, answer) => {
    expect(readAnswer(line, ALL)).toEqual(answer);
  });

  it('[CALL15] approves only with a line of exactly one known word', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('yes', 'y', 'ok', 'o o', 'once more', 'approve', 'oo')),
        (line) => {
          fc.pre(!WORDS.includes(line.trim().toLowerCase()));
          expect(['deny', 'unknown']).toContain(readAnswer(line, ALL).kind);
        },
      ),
    );
  });

  it('[CHANGE8.6] allows the hosts that the call tried to reach, if there are any', () => {
    const offered = offeredFor(TRIED);
    expect(readAnswer('h', offered)).toEqual({ kind: 'hosts' });
    expect(readAnswer('h', ALL).kind).toBe('unknown');
    expect(describeChoices(viewOfApproval(approvalOf(1, TRIED)), 'Ada', { offered, isCut: false })).toContain(
      'h: allow a.com for this call, and see it again before you approve it',
    );
  });

  it('[SAFE6] reveals only if something is masked, even before the whole call was shown', () => {
    const offered = offeredFor(MASKED, { isCut: true });
    expect(readAnswer('v', offered)).toEqual({ kind: 'reveal' });
    expect(readAnswer('v', ALL).kind).toBe('unknown');
    const view = viewOfApproval(approvalOf(1, MASKED));
    expect(describeChoices(view, 'Ada', { offered, isCut: true }).join('\n')).toContain('v: reveal');
    expect(describeChoices(view, 'Ada', { offered: ALL, isCut: false }).join('\n')).not.toContain('reveal');
  });

  it.each(['0', 'oo', 'once more', 'approve', 'y', 'yes', 'x'])('[CALL15] %j decides nothing', (line) => {
    expect(readAnswer(line, ALL)).toEqual({ kind: 'unknown' });
  });

  it('[CALL2] accepts only answers that are offered', () => {
    const only: Partial<Approval> = { options: ['deny', 'approve_once'], editable: false };
    const offered = (options: Approval['options'], asked: Partial<Asked> = {}) => offeredFor({ options }, asked);
    for (const word of ['c', 'a']) expect(readAnswer(word, offered(['deny', 'approve_once'])).kind).toBe('unknown');
    for (const word of ['o', 'c', 'a', 'e']) expect(readAnswer(word, offered(['deny'])).kind).toBe('unknown');
    for (const word of ['o', 'c', 'a', 'e'])
      expect(readAnswer(word, offeredFor({}, { isCut: true })).kind).toBe('unknown');
    for (const part of ['deny', 'signed', 'unknown', 'watch'] as const)
      for (const word of ['o', 'c', 'a', 'e', 'h'])
        expect(readAnswer(word, offeredFor(TRIED, { part })).kind).toBe('unknown');
    expect(offeredFor(MASKED, { part: 'watch' })).toEqual(['more']);
    expect(readAnswer('n', offeredFor({}, { hasOthers: true })).kind).toBe('next');
    const cut = offeredFor(only, { isCut: true });
    expect(describeChoices(viewOfApproval(approvalOf(1, only)), 'Ada', { offered: cut, isCut: true })).toEqual([
      'd: deny, with an optional reason (Enter denies)',
      'o: approve once, after s',
      's: show more',
    ]);
  });
});
