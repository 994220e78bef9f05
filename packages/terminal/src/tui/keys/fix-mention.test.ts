import { expect, it } from 'vitest';
import { drawn, factsOf, sceneOf } from '../../testing/screen-fixture.js';
import { initialUi, type UiState } from '../ui-state.js';
import { fieldOf } from './field.js';
import { press } from './press.js';

const message = (text: string): UiState => ({ ...initialUi('chat_1'), composer: fieldOf(text) });
const tab = (ui: UiState): UiState => press(ui, { kind: 'name', name: 'tab' }, factsOf(sceneOf({ ui }))).ui;
const head = (ui: UiState): string => drawn(sceneOf({ ui })).find((line) => line.includes(' Message ')) ?? '';

it('[WORLD3.6] shows above the message who will answer it, and Tab corrects a mention', () => {
  expect(head(message(''))).toContain('→ everyone: Scout, Mason');
  expect(head(message('@mason hi'))).toContain('→ Mason ─');
  const nobody = message('hi @Mason');
  expect(head(nobody)).toContain('→ nobody: start the line with @Mason · Tab fixes it');
  const fixed = tab(nobody);
  expect(fixed.composer.text).toBe('@Mason hi @Mason');
  expect(fixed.focus).toBe('composer');
  expect(head(fixed)).toContain('→ Mason ─');
  expect(tab(message('hi')).focus).not.toBe('composer');
});

it('[WORLD3.6] keeps the line within a narrow screen', () => {
  const ui = message(`hi @Mason ${'and @Scout '.repeat(20)}`);
  const lines = drawn(sceneOf({ ui, size: { columns: 60, rows: 20 } }));
  expect(lines.find((line) => line.includes(' Message '))).toMatch(/^.{50,60}$/u);
});
