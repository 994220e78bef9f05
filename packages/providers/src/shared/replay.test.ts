import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replay, stateOf, type Slot } from './replay.js';

const call = (name: string, id = name) => ({ id, type: 'function' as const, function: { name, arguments: '{}' } });

describe('replaying an answer', () => {
  const slots: Slot[] = [
    { kind: 'sealed', sealed: 't1' },
    { kind: 'text', text: 'Looking.', sealed: 's1' },
    { kind: 'call', name: 'client.x', sealed: 's2' },
    { kind: 'call', name: 'look', sealed: 's3' },
    { kind: 'sealed', sealed: 't2' },
    { kind: 'call', name: 'look' },
  ];
  const { providerState } = stateOf(slots);

  it('[MODEL1] keeps no state if the vendor signed nothing', () => {
    expect(
      stateOf([
        { kind: 'text', text: 'hi' },
        { kind: 'call', name: 'look' },
      ]),
    ).toEqual({});
  });

  it('[MODEL1] keeps signed parts in place, and omits a call that was removed', () => {
    const calls = [call('look', 'a'), call('look', 'b')];
    expect(replay(providerState, 'Looking.', calls)).toEqual([
      { kind: 'sealed', sealed: 't1' },
      { kind: 'text', text: 'Looking.', sealed: 's1' },
      { kind: 'call', call: calls[0], sealed: 's3' },
      { kind: 'sealed', sealed: 't2' },
      { kind: 'call', call: calls[1] },
    ]);
  });

  it('[MODEL1] keeps signed parts next to calls if the text changed, but not for plain text', () => {
    const calls = [call('look', 'a')];
    expect(replay(providerState, 'changed', calls)).toEqual([
      { kind: 'sealed', sealed: 't1' },
      { kind: 'sealed', sealed: 't2' },
      { kind: 'text', text: 'changed' },
      { kind: 'call', call: calls[0], sealed: 's3' },
    ]);
    expect(replay(providerState, 'changed', [])).toEqual([{ kind: 'text', text: 'changed' }]);
  });

  it('[MODEL1] keeps every text and call, whatever the state is', () => {
    const names = fc.array(fc.constantFrom('look', 'list', 'client.x'), { maxLength: 4 });
    const state = fc.oneof(
      fc.constant(providerState),
      fc.anything(),
      fc.record({ version: fc.constant(1), slots: fc.array(fc.anything()) }),
    );
    fc.assert(
      fc.property(state, fc.constantFrom('Looking.', 'other', ''), names, (stored, content, asked) => {
        const calls = asked.map((name, index) => call(name, String(index)));
        const pieces = replay(stored, content, calls);
        expect(pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')).toBe(content);
        expect(pieces.flatMap((piece) => (piece.kind === 'call' ? [piece.call] : []))).toEqual(calls);
      }),
    );
  });
});
