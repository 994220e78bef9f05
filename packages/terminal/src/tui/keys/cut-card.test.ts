import { describe, expect, it } from 'vitest';
import { approvalOf, drawn, factsOf, NOW, sceneOf, worldOf } from '../../testing/screen-fixture.js';
import type { Scene } from '../layout/scene.js';
import { initialUi, type Effect, type UiState } from '../ui-state.js';
import type { Key } from './key.js';
import { press } from './press.js';
import { focusOn, settle } from './settle.js';

const ENTER: Key = { kind: 'name', name: 'enter' };
const char = (text: string): Key => ({ kind: 'char', text });

/** A command whose end fits on no screen. */
const LONG = `${'# harmless\n'.repeat(5000)}rm -rf ~`;

function opened(command: string, columns = 80): Scene {
  const scene = sceneOf({
    world: worldOf([
      approvalOf(1, { arguments: { command }, sandbox: { kind: 'none', network: 'all', hosts: [], readable: [] } }),
      approvalOf(2),
    ]),
    size: { columns, rows: 24 },
    now: NOW + 10_000,
  });
  return { ...scene, ui: focusOn(settle(initialUi('chat_1'), { ...factsOf(scene), now: NOW }), 'card', NOW) };
}

function typed(scene: Scene, ...keys: readonly Key[]): { ui: UiState; effects: Effect[] } {
  const effects: Effect[] = [];
  let { ui } = scene;
  for (const key of keys) {
    const facts = factsOf({ ...scene, ui });
    const pressed = press(settle(ui, facts), key, facts);
    ui = settle(pressed.ui, facts);
    effects.push(...pressed.effects);
  }
  return { ui, effects };
}

describe('a call that is too long for the screen', () => {
  it('[CALL15] can be denied but not approved, because nobody has seen all of it', () => {
    const scene = opened(LONG);
    for (const letter of ['o', 'c', 'a', 'e']) expect(typed(scene, char(letter), ENTER).effects).toEqual([]);
    expect(typed(scene, char('d'), ENTER).effects).toMatchObject([{ kind: 'decide', answer: { decision: 'deny' } }]);
    expect(typed(opened('ls'), char('o'), ENTER).effects).toMatchObject([{ answer: { decision: 'approve' } }]);
  });

  it('[CALL15] can be approved once its end was on the screen, and not before', () => {
    const scene = opened(`${'# harmless\n'.repeat(40)}rm -rf ~`);
    const early = typed(scene, char('o'), ENTER);
    expect(early.effects).toEqual([]);
    expect(early.ui.status?.text).toMatch(/Nothing is selected/);
    expect(typed(scene, char('e')).ui.status?.text).toContain('There is more below');
    expect(drawn(scene).join('\n')).toContain('There is more below');
    expect(drawn(scene).join('\n')).not.toContain('rm -rf ~');
    const down = Array.from({ length: 12 }, (): Key => ({ kind: 'name', name: 'pagedown' }));
    const { ui } = typed(scene, ...down);
    expect(drawn({ ...scene, ui }).join('\n')).toContain('rm -rf ~');
    expect(typed({ ...scene, ui }, char('o'), ENTER).effects).toMatchObject([{ answer: { decision: 'approve' } }]);
    // The next card must be seen to its end too, even after one that fitted.
    expect(typed({ ...scene, ui }, char('n')).ui.card.isSeen).toBe(false);
    const short = typed(scene, char('n')).ui;
    expect(typed({ ...scene, ui: short }, char('N'), char('x')).ui.card.isSeen).toBe(false);
  });

  it('[CALL15] ignores answers while the terminal is too small to show it', () => {
    const { ui } = typed(opened('ls'), char('o'));
    expect(ui.card.choice.kind).toBe('once');
    for (const size of [
      { columns: 20, rows: 5 },
      { columns: 50, rows: 40 },
    ]) {
      const small = { ...opened('ls'), ui, size };
      expect(drawn(small).join(' ')).toContain('too small');
      expect(typed(small, ENTER, char('d'), ENTER, char('o'), ENTER).effects).toEqual([]);
    }
    expect(typed({ ...opened('ls'), ui }, ENTER).effects).toHaveLength(1);
  });

  it('[CALL15] discards a choice that was made while all of it was visible', () => {
    const wide = typed(opened('ls'), char('o')).ui;
    expect(typed({ ...opened(LONG), ui: wide }, ENTER, ENTER).effects).toEqual([]);
  });

  it('says that it is truncated and what to do, and still shows where it would run and why it needs approval', () => {
    const scene = opened(LONG);
    const { ui } = typed(scene, { kind: 'name', name: 'end' });
    const end = drawn({ ...scene, ui }).join('\n');
    expect(end).toContain('more line is not shown here');
    expect(end).toContain('not sandboxed');
    expect(end).toContain("Why you're asked");
    expect(end).not.toMatch(/Approve|Always|Edit/);
    expect(end).toContain('d Deny…');
    expect(end).toContain('n Next');
  });
});
