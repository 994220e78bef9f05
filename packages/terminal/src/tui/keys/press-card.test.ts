import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalOf, drawn, factsOf, NOW, sceneOf, worldOf } from '../../testing/screen-fixture.js';
import { ARMING_MS, type Effect, type UiState } from '../ui-state.js';
import type { Key, KeyName } from './key.js';
import { press } from './press.js';
import { settle } from './settle.js';

const named = (name: KeyName): Key => ({ kind: 'name', name });
const char = (text: string): Key => ({ kind: 'char', text });
const ENTER = named('enter');

/** A person at the keyboard with `count` waiting calls. The pauses between keys are long. */
function seat(count: number, more: Parameters<typeof approvalOf>[1] = {}, hasEditor = false) {
  let world = worldOf(Array.from({ length: count }, (_, index) => approvalOf(index + 1, more)));
  let now = NOW;
  const effects: Effect[] = [];
  let scene = sceneOf({ world });
  let ui: UiState = settle(scene.ui, factsOf(scene));
  const step = (key: Key, after = 1000): UiState => {
    now += after;
    scene = sceneOf({ world, ui, now });
    const facts = { ...factsOf(scene), hasEditor };
    const pressed = press(settle(ui, facts), key, facts);
    ui = settle(pressed.ui, facts);
    effects.push(...pressed.effects);
    return ui;
  };
  return {
    step,
    steps: (...keys: Key[]) => keys.forEach((key) => step(key)),
    ui: () => ui,
    /** The current screen. */
    scene: () => {
      const before = sceneOf({ world, ui, now });
      return { ...before, ui: settle(ui, factsOf(before)) };
    },
    effects,
    decisions: () => effects.flatMap((effect) => (effect.kind === 'decide' ? [effect.answer] : [])),
    /** Applies decisions by others or new calls. */
    become(next: ReturnType<typeof worldOf>) {
      world = next;
    },
  };
}

const toCard = { kind: 'ctrl', letter: 'g' } as const;

describe('a card', () => {
  it('[SAFE6] v reveals masked secrets, and approves nothing', () => {
    const person = seat(1, { arguments: { token: '‹masked 1: 7 characters›' } });
    person.steps(toCard, char('v'), ENTER);
    expect(person.effects).toMatchObject([{ kind: 'reveal' }]);
    const plain = seat(1, { arguments: { command: 'ls' } });
    plain.steps(toCard, char('v'), ENTER);
    expect(plain.effects).toEqual([]);
  });

  it('[TERM2.4] e opens the editor of a person who has one, and a field for others', () => {
    const [withEditor, without] = [seat(1, {}, true), seat(1)];
    for (const person of [withEditor, without]) person.steps(toCard, char('e'));
    expect(withEditor.effects).toMatchObject([{ kind: 'edit', approval: { approvalId: 'approval_1' } }]);
    expect(withEditor.ui().card.choice).toEqual({ kind: 'none' });
    expect(without.effects).toEqual([]);
    expect(without.ui().card.choice).toMatchObject({ kind: 'edit', field: { text: 'rm scratch-1.tmp' } });
  });

  it('[CHANGE8.6] h allows the hosts that the call tried to reach, and shows it again', () => {
    const effect = { files: [], leftOut: [], exitCode: 6, output: '', truncated: false, effectHash: 'e' };
    const person = seat(1, { arguments: { command: 'curl x' }, effect: { ...effect, triedHosts: ['example.com'] } });
    person.step(toCard);
    expect(drawn(person.scene()).join('\n')).toContain('h Allow the host');
    person.step(char('h'));
    const hosts = ['example.com'];
    expect(person.decisions()).toEqual([{ decision: 'approve', arguments: { command: 'curl x', hosts } }]);
    const plain = seat(1, { effect });
    plain.steps(toCard, char('h'), ENTER);
    expect(plain.effects).toEqual([]);
  });

  it('[CALL15] is approved by a choice and Enter, and not by Enter alone', () => {
    const at = seat(1);
    at.steps(toCard, ENTER, ENTER, char(' '), char('y'), char('Y'), named('tab'), toCard, ENTER);
    expect(at.effects).toEqual([]);
    at.steps(char('o'));
    expect(at.effects).toEqual([]);
    at.steps(ENTER);
    expect(at.decisions()).toEqual([{ decision: 'approve', scope: 'once' }]);
    at.steps(char('o'), ENTER);
    expect(at.decisions()).toHaveLength(1);
  });

  it('[CALL15] ignores keys that were meant for the previous screen', () => {
    const at = seat(2);
    at.step(toCard);
    at.step(char('o'), ARMING_MS - 1);
    expect(at.ui().card.choice).toEqual({ kind: 'none' });
    at.step(char('o'));
    expect(at.ui().card.choice).toEqual({ kind: 'once' });
    at.step(char('n'));
    expect(at.ui().card).toMatchObject({ choice: { kind: 'none' }, current: { id: 'approval_2' } });
    at.step(ENTER, 1);
    expect(at.effects).toEqual([]);
  });

  it('[CALL15] clears the choice when the card is decided elsewhere, and says so', () => {
    const at = seat(2);
    at.steps(toCard, char('o'));
    at.become(worldOf([approvalOf(2)]));
    expect(drawn(at.scene()).join('\n')).toContain('This call was decided elsewhere.');
    at.step(ENTER);
    expect(at.ui().card.current).toEqual({ kind: 'open', id: 'approval_2' });
    expect(at.effects).toEqual([]);
    at.step(ENTER);
    expect(at.effects).toEqual([]);
  });

  it('[CALL15] ignores pasted text and bursts of input', () => {
    const at = seat(1);
    at.steps(toCard, { kind: 'paste', text: 'o\n' }, { kind: 'burst', text: 'o\r' }, ENTER);
    expect(at.effects).toEqual([]);
  });

  it('is denied with or without a reason', () => {
    const at = seat(1);
    at.steps(toCard, char('d'), { kind: 'paste', text: 'not this one' }, ENTER);
    expect(at.decisions()).toEqual([{ decision: 'deny', reason: 'not this one' }]);
    const other = seat(1);
    other.steps(toCard, char('d'), ENTER);
    expect(other.decisions()).toEqual([{ decision: 'deny' }]);
  });

  it('is approved for the chat, for similar calls, always, or edited', () => {
    const signed = (...keys: Key[]) => {
      const at = seat(1);
      at.steps(toCard, ...keys);
      return at.decisions();
    };
    expect(signed(char('c'), ENTER)).toEqual([{ decision: 'approve', scope: 'session', pattern: 'rm ./**' }]);
    expect(signed(char('c'), char('l'), ENTER)).toEqual([{ decision: 'approve', scope: 'session', pattern: '*' }]);
    expect(signed(char('a'), ENTER)).toEqual([
      { decision: 'approve', scope: 'always', rule: 'allow shell_cmd(rm scratch-1.tmp)' },
    ]);
    expect(signed(char('e'), { kind: 'ctrl', letter: 'u' }, { kind: 'paste', text: 'ls' }, ENTER)).toEqual([
      { decision: 'approve', scope: 'once', arguments: { command: 'ls' } },
    ]);
    expect(signed(char('e'), { kind: 'ctrl', letter: 'u' }, ENTER)).toEqual([]);
  });

  it('offers only the choices of the question', () => {
    const at = seat(1, { options: ['deny', 'approve_once'] });
    at.steps(toCard, char('c'), ENTER, char('a'), ENTER);
    expect(at.effects).toEqual([]);
  });

  it('[CALL2] offers no rule if none is proposed, because the default would be the widest one', () => {
    const { proposedRule: _, ...bare } = approvalOf(1);
    const at = seat(0);
    at.become(worldOf([bare]));
    at.steps(toCard, char('a'), ENTER);
    expect(at.effects).toEqual([]);
    expect(drawn(at.scene()).join('\n')).not.toContain('Always…');
    expect(drawn(at.scene()).join('\n')).toContain('Approve once');
  });

  it('[CALL16] with a question is answered with text, never approved', () => {
    const at = seat(1, { toolName: 'ask_human', question: { text: 'Which?', choices: ['red', 'blue'] } });
    at.steps(toCard, char('o'), ENTER, char('a'), ENTER, char('r'), ENTER);
    expect(at.effects).toEqual([]);
    at.steps(named('escape'), char('2'), ENTER);
    expect(at.effects).toMatchObject([{ kind: 'answer', words: 'blue' }]);
  });

  it('[CALL15] is never approved without one of the approval keys', () => {
    const harmless = fc.constantFrom<Key>(
      ENTER,
      named('tab'),
      named('escape'),
      named('down'),
      named('newline'),
      toCard,
      { kind: 'burst', text: 'oe\r' },
      { kind: 'paste', text: 'o\n' },
      { kind: 'ctrl', letter: 'd' },
      { kind: 'ctrl', letter: 'n' },
      { kind: 'ctrl', letter: 'm' },
      ...Array.from('ybdnNqjkx1 ?Y', char),
    );
    fc.assert(
      fc.property(fc.array(harmless, { maxLength: 25 }), (keys) => {
        const at = seat(3);
        at.steps(...keys);
        expect(at.decisions().filter(({ decision }) => decision === 'approve')).toEqual([]);
      }),
    );
  });

  it('[CALL15] is never approved by Ctrl-C, which quits, and asks first if there is a draft', () => {
    const at = seat(1);
    at.steps(toCard, char('o'), { kind: 'ctrl', letter: 'c' });
    expect(at.effects).toEqual([{ kind: 'leave' }]);
    const other = seat(1);
    other.steps({ kind: 'paste', text: 'a long message' }, { kind: 'ctrl', letter: 'c' });
    expect(other.effects).toEqual([]);
    expect(other.ui().overlay).toBe('leave');
    other.steps(char('n'), { kind: 'ctrl', letter: 'c' }, char('y'));
    expect(other.effects).toEqual([{ kind: 'leave' }]);
  });
});
