import type { FormField } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { approvalOf, drawn, factsOf, NOW, sceneOf, worldOf } from '../../testing/screen-fixture.js';
import type { Effect, UiState } from '../ui-state.js';
import type { Key, KeyName } from './key.js';
import { press } from './press.js';
import { settle } from './settle.js';

const named = (name: KeyName): Key => ({ kind: 'name', name });
const char = (text: string): Key => ({ kind: 'char', text });
const toCard = { kind: 'ctrl', letter: 'g' } as const;
const ENTER = named('enter');
const SPACE = char(' ');

const colours = ['red', 'green', 'blue', 'black', 'white'].map((value) => ({ value, label: value.toUpperCase() }));
const fields: FormField[] = [
  { name: 'who', label: 'Your name', hint: 'As on your badge. '.repeat(20), kind: 'text', isRequired: true },
  { name: 'mail', label: 'Email', kind: 'text', format: 'email', isRequired: false },
  { name: 'age', label: 'Age', kind: 'integer', most: 100, isRequired: false, default: 42 },
  { name: 'sure', label: 'Sure', kind: 'boolean', isRequired: true },
  { name: 'paint', label: 'Paint', kind: 'choice', choices: colours, isRequired: true },
  { name: 'more', label: 'More', kind: 'choices', choices: colours, isRequired: false },
];
const question = { text: 'as text', choices: [], form: { lead: 'The server asks: who are you?', fields } };

/** A person at a screen of this size, with one waiting form. */
function seat(columns: number, rows: number) {
  const world = worldOf([approvalOf(1, { question })]);
  const size = { columns, rows };
  let now = NOW;
  const effects: Effect[] = [];
  let ui: UiState = settle(sceneOf({ world, size }).ui, factsOf(sceneOf({ world, size })));
  const scene = () => sceneOf({ world, size, ui, now });
  return {
    effects,
    press(...keys: (Key | string)[]) {
      for (const key of keys.flatMap((each) => (typeof each === 'string' ? each.split('').map(char) : [each]))) {
        now += 1000;
        const facts = factsOf(scene());
        const pressed = press(settle(ui, facts), key, facts);
        ui = settle(pressed.ui, facts);
        effects.push(...pressed.effects);
      }
    },
    screen: () => drawn(scene()).join('\n'),
    choice: () => ui.card.choice.kind,
    focus: () => ui.focus,
  };
}

describe.each([
  [80, 24],
  [60, 20],
  [60, 18],
])('[HTTP8.7] a form on a screen of %i×%i', (columns, rows) => {
  it('is filled in field by field, says what is wrong, and is sent by a separate Enter', () => {
    const at = seat(columns, rows);
    at.press(toCard);
    expect(at.screen()).toContain('who are you?');
    at.press('r', ENTER);
    expect(at.screen()).toMatch(/Your name · text, required · 1 of 6/);
    expect(at.screen()).toContain('Enter a value.');
    at.press('Ada?', ENTER, 'nobody', ENTER);
    expect(at.screen()).toContain('Enter an email address.');
    at.press({ kind: 'ctrl', letter: 'u' }, ENTER);
    expect(at.screen()).toMatch(/Age · whole number, optional · 3 of 6\s+› 42/);
    at.press('9', ENTER);
    expect(at.screen()).toContain('Must be at most 100.');
    at.press(named('backspace'), named('tab'), ENTER);
    expect(at.screen()).toMatch(/Sure · required · 4 of 6[^]*\( \) yes[^]*\( \) no[^]*Enter a value/);
    at.press(SPACE, ENTER, named('down'), named('down'), named('down'), SPACE, ENTER);
    expect(at.screen()).toContain('[ ] RED');
    at.press(SPACE, named('down'), SPACE, named('up'), SPACE, named('up'), named('down'), ENTER);
    expect(at.screen()).toContain('All fields are filled in.');
    expect(at.effects).toEqual([]);
    at.press(ENTER, ENTER);
    const words = '{"who":"Ada?","age":42,"sure":true,"paint":"black","more":["green"]}';
    expect(at.effects).toMatchObject([{ kind: 'answer', words }]);
  });

  it('goes back with Esc and Shift-Tab, and keeps what was entered', () => {
    const at = seat(columns, rows);
    at.press(toCard, 'rAda', ENTER, 'a@b.example', ENTER, named('backtab'), named('escape'));
    expect(at.screen()).toMatch(/Your name · text, required · 1 of 6\s+› Ada/);
    at.press(named('backtab'), ENTER);
    expect(at.screen()).toContain('a@b.example');
    at.press(named('escape'), named('escape'));
    expect(at.choice()).toBe('none');
    expect(at.focus()).toBe('card');
    expect(at.effects).toEqual([]);
  });
});

it('[HTTP8.7] [CALL15] the marker of an option is not a choice: only Space selects', () => {
  const at = seat(80, 24);
  at.press(toCard, 'rAda', ENTER, ENTER, ENTER, named('down'), ENTER);
  expect(at.screen()).toMatch(/Sure · required[^]*Enter a value\./);
  at.press(SPACE, SPACE, ENTER);
  expect(at.screen()).toMatch(/Sure · required[^]*Enter a value\./);
});
