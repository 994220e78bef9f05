import type { ApprovalView } from '@countersign/client';
import type { Effect as Change } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { approvalOf, drawn, factsOf, NOW, sceneOf, worldOf } from '../../testing/screen-fixture.js';
import type { Scene } from '../layout/scene.js';
import { initialUi, type Effect, type UiState } from '../ui-state.js';
import type { Key, KeyName } from './key.js';
import { press } from './press.js';
import { focusOn, settle } from './settle.js';

const char = (text: string): Key => ({ kind: 'char', text });
const named = (name: KeyName): Key => ({ kind: 'name', name });

const diff = (lines: number): string =>
  `--- a\n+++ b\n@@ -1,1 +1,${lines} @@\n-old\n${Array.from({ length: lines }, (_, at) => `+line ${at + 1}\n`).join('')}`;

const change: Change = {
  files: [
    { path: 'src/a.txt', change: 'changed', kind: 'file', lines: { added: 60, removed: 1 }, diff: diff(60) },
    { path: 'gone.txt', change: 'removed', kind: 'file', bytes: 3 },
    { path: `deep/${'x'.repeat(90)}/.husky/pre-commit`, change: 'added', kind: 'file', runsLater: true, diff: diff(1) },
    { path: 'b\u202Etxt', change: 'added', kind: 'file', diff: '@@ -0,0 +1 @@\n+\u001B[31mred\u202E\n' },
    ...[1, 2, 3, 4].map((at) => ({ path: `dist/${at}.js`, change: 'added', kind: 'file' }) as const),
  ],
  leftOut: [],
  effectHash: 'x',
  exitCode: 0,
  output: '',
  truncated: false,
};

/** A person at the card of a call with this change. */
function seat(effect: Change = change) {
  let now = NOW + 10_000;
  const base = sceneOf({ world: worldOf([approvalOf(1, { effect })]), size: { columns: 80, rows: 24 }, now });
  let ui: UiState = focusOn(settle(initialUi('chat_1'), { ...factsOf(base), now: NOW }), 'card', NOW);
  const effects: Effect[] = [];
  const scene = (): Scene => ({ ...base, ui, now });
  return {
    press(...keys: readonly Key[]) {
      for (const key of keys) {
        now += 1000;
        const facts = factsOf(scene());
        const pressed = press(settle(ui, facts), key, facts);
        ui = settle(pressed.ui, facts);
        effects.push(...pressed.effects);
      }
    },
    /** A key that was typed ahead, before the screen changed. */
    pressNow(key: Key) {
      now -= 1000;
      this.press(key);
    },
    screen: () => drawn(scene()).join('\n'),
    ui: () => ui,
    effects,
  };
}

describe('[TERM2.5] the files of a change in the full-screen UI', () => {
  it('are listed with those that run later first, and opened one by one with their line numbers', () => {
    const person = seat();
    person.press(char('f'));
    const list = person.screen();
    expect(list).toContain('Files of this change (5)');
    expect(list.indexOf('! deep/')).toBeLessThan(list.indexOf('src/a.txt'));
    expect(list).toContain('removed      gone.txt');
    expect(list).toContain('dist/ (4 added)');
    person.press(char('j'), named('enter'));
    expect(person.screen()).toMatch(/File 2 of 5 ↓ \d+ more lines[^]*changed +src\/a\.txt/);
    expect(person.screen()).toMatch(/ {3}1 {5}│ - old +\n {7}1 │ \+ line 1 /);
    expect(person.screen()).not.toContain('line 60');
    person.press(named('end'));
    expect(person.screen()).toContain('line 60');
    person.press(named('right'));
    expect(person.screen()).toContain('Its old content is not part of the change.');
    person.press(named('right'));
    expect(person.screen()).toContain('b\\u{202e}txt');
    expect(person.screen()).toContain('‹U+001B›[31mred‹U+202E›');
    person.press(named('right'), named('right'), named('left'), named('escape'), named('end'), named('enter'));
    expect(person.screen()).toContain('File 5 of 9');
    person.press(named('right'));
    expect(person.screen()).toMatch(/File 6 of 9[^]*dist\/1\.js/);
  });

  it('decide nothing, and reading them is not reading the card to its end', () => {
    const person = seat();
    expect(person.ui().card.isSeen).toBe(false);
    person.press(char('f'), named('enter'), named('end'));
    person.press(char('o'), named('enter'), char('c'), char('a'), char('d'), named('enter'), char('y'));
    expect(person.ui().card).toMatchObject({ isSeen: false, choice: { kind: 'none' } });
    person.press(char('f'));
    person.pressNow(char('d'));
    expect(person.ui().card.choice.kind).toBe('none');
    person.press(char('o'));
    expect(person.screen()).toContain('There is more below');
    expect(person.effects).toEqual([]);
    person.press(named('end'), char('o'), named('enter'));
    expect(person.effects).toMatchObject([{ kind: 'decide' }]);
  });

  it('are all loaded if the approval has only some, and a call that changes none has no such key', () => {
    const person = seat({ ...change, truncated: true });
    person.press(char('f'));
    expect(person.effects).toMatchObject([
      { kind: 'load-review', approval: { approvalId: 'approval_1' } satisfies Partial<ApprovalView> },
    ]);
    expect(person.screen()).toContain('Loading the whole change');
    const other = seat({ ...change, files: [] });
    expect(other.screen()).not.toContain('f Files');
    other.press(char('f'));
    expect(other.ui().overlay).toBe('none');
  });
});
