import { decisionStory, viewOfApproval, type Decision } from '@countersign/client';
import { HIDDEN_IN_CODE, SYSTEM, type Approval } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../tests/support/any-character.js';
import { describeApproval } from './card/describe-approval.js';
import { describeChoices } from './approvals/read-answer.js';
import { offeredActions } from './card/card-keys.js';
import { describeDecision } from './approvals/describe-decision.js';
import { approvalOf, drawn, factsOf, NOW, sceneOf, worldOf } from './testing/screen-fixture.js';
import { paintFor } from './text/paint.js';
import { focusOn, settle } from './tui/keys/settle.js';
import { callLook } from './tui/transcript/call-look.js';
import { initialUi } from './tui/ui-state.js';

const paint = paintFor({}, { env: {} });

function inLineMode(more: Partial<Approval>): string {
  return describeApproval(viewOfApproval(approvalOf(1, more)), { agentName: 'Mason', paint, columns: 100, now: NOW })
    .text;
}

function onTheScreen(more: Partial<Approval>, focus: 'card' | 'composer' = 'card'): string {
  const scene = sceneOf({ world: worldOf([approvalOf(1, more)]), size: { columns: 90, rows: 28 } });
  const ui = settle(initialUi('chat_1'), factsOf(scene));
  return drawn({ ...scene, ui: focus === 'card' ? focusOn(ui, 'card', NOW - 10_000) : ui }).join('\n');
}

const SCREENS = [
  ['line mode', inLineMode],
  ['the full screen', onTheScreen],
] as const;

describe.each(SCREENS)('a card in %s', (_, shown) => {
  it('says what an agent wants to do instead of naming the tool, if there is a verb for it', () => {
    expect(shown({})).toContain('Mason wants to run');
    expect(shown({ toolName: 'write_file', arguments: { path: 'a', content: 'b' } })).toContain('Mason wants to write');
    expect(shown({ toolName: 'stamp', arguments: {} })).toContain('Mason wants to use stamp');
  });

  it('[CALL1.1] [CALL3] shows the text that the tool declares, and labels it as the tool’s', () => {
    const text = shown({ toolName: 'stamp', arguments: {}, message: 'Stamp it?\nin /safe · sandboxed \u202Ex' });
    expect(text).toMatch(/^ +The tool asks: “Stamp it\? in \/safe · sandboxed ‹U\+202E›x”/m);
    expect(shown({ toolName: 'stamp', arguments: {}, message: 'Run stamp' })).not.toContain('The tool asks');
  });

  it('[SAFE6] counts the masked secrets in the shown text', () => {
    expect(shown({ arguments: { command: 'a ‹masked 1› ‹masked 2›' } })).toContain(
      '2 secrets are masked; the tool gets the real values.',
    );
    expect(shown({})).not.toContain('masked');
  });

  it('[SAFE6] escapes every character on the list of invisible characters', () => {
    const hidden = new RegExp(HIDDEN_IN_CODE, 'u');
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const told = shown({ toolName: 'stamp', arguments: { a: text, [text]: 1 }, message: '' });
        expect(told).not.toMatch(hidden);
      }),
    );
  });

  it('[CALL7.4] says that a person edited the call', () => {
    expect(shown({ edited: true })).toContain('This is the edited call. Check it, then approve it.');
    expect(shown({})).not.toContain('edited call');
  });

  it('[CALL11] says when it expires', () => {
    expect(shown({ expiresAt: new Date(NOW + 30_000).toISOString() })).toMatch(/[Ee]xpires .*in 30 s/);
    expect(shown({})).not.toMatch(/[Ee]xpires/);
  });
});

it('[CALL5.2] approving for this chat is offered in every mode only if something narrower than every call covers this one', () => {
  const choices = (session: NonNullable<Approval['session']>): string => {
    const asked = viewOfApproval(approvalOf(1, { session }));
    const offered = offeredActions(asked, { part: 'decide', isCut: false, hasOthers: false, hasMore: true });
    return describeChoices(asked, 'Mason', { offered, isCut: false }).join('\n');
  };
  const narrow = { pattern: 'rm ./**', any: true } as const;
  for (const text of [choices(narrow), onTheScreen({ session: narrow })])
    expect(text).toMatch(/approve for this chat/i);
  for (const text of [choices({ any: true }), onTheScreen({ session: { any: true } })])
    expect(text).not.toMatch(/approve for this chat/i);
});

it('[CALL11] a card also shows in the bar of a short screen when it expires', () => {
  const bar = onTheScreen({ expiresAt: new Date(NOW + 30_000).toISOString() }, 'composer');
  expect(bar).toContain('Ctrl-G to review');
  expect(bar).toContain('expires in 30 s');
});

it('[CALL11] [HTTP14] describes a decision the same way in every mode', () => {
  const at = new Date(NOW - 3000).toISOString();
  const ada = { kind: 'person', id: 'owner', name: 'ada' } as const;
  const decision: Decision = { outcome: 'approved', scope: 'once', by: ada, via: 'terminal', at };
  expect(describeDecision(decision, NOW)).toBe('Approved once by ada, from the terminal, 3 s ago');
  const expired: Decision = { outcome: 'expired', scope: 'once', by: SYSTEM, at, waitedMs: 30_000 };
  expect(describeDecision(expired, NOW)).toBe(decisionStory(expired, NOW));
  expect(callLook({ status: { kind: 'expired', reason: '' } }, expired, undefined).words).toBe(
    'expired after 30 s, nothing ran',
  );
  expect(describeDecision({ ...decision, by: { ...ada, name: `${'x'.repeat(500)}\u001B[2J` } }, NOW)).toMatch(
    /^[^\u001B]{0,200}$/u,
  );
});
