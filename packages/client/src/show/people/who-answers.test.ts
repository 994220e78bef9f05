import type { Addressable } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { whoAnswers } from './who-answers.js';

const agent = (name: string, active = true): Addressable => ({ id: name.toLowerCase(), name, active });
const crew = [agent('Ada'), agent('Bob'), agent('Off', false)];

describe('[WORLD3.6] who will answer', () => {
  it('names the agents that are mentioned, or the main agent, or everyone', () => {
    expect(whoAnswers('@bob hi', crew, 'ada')).toEqual({ kind: 'agents', names: ['Bob'] });
    expect(whoAnswers('hi', crew, 'ada')).toEqual({ kind: 'agents', names: ['Ada'] });
    expect(whoAnswers('', crew, undefined)).toEqual({ kind: 'everyone', names: ['Ada', 'Bob'] });
    expect(whoAnswers('hi', [agent('Ada')], undefined)).toEqual({ kind: 'agents', names: ['Ada'] });
    expect(whoAnswers('@human look', crew, undefined)).toEqual({ kind: 'people' });
  });

  it('offers the message with its mention at the start', () => {
    const shown = whoAnswers('hey @bob, look', crew, undefined);
    expect(shown).toMatchObject({ kind: 'nobody', why: { kind: 'mid-line' }, fixed: '@Bob hey @bob, look' });
    expect(whoAnswers('@Bob hey @bob, look', crew, undefined)).toEqual({ kind: 'agents', names: ['Bob'] });
  });

  it('offers the message with the nearest name', () => {
    expect(whoAnswers('@adda $& hi', crew, undefined)).toMatchObject({ kind: 'nobody', fixed: '@Ada $& hi' });
    expect(whoAnswers('@ghost hi', crew, undefined)).not.toHaveProperty('fixed');
  });

  it('offers nothing if only a setting can fix it', () => {
    expect(whoAnswers('@off hi', crew, undefined)).toMatchObject({ kind: 'nobody', why: { kind: 'inactive' } });
    expect(whoAnswers('hey @off', crew, undefined)).not.toHaveProperty('fixed');
    expect(whoAnswers('hi', [], undefined)).toEqual({ kind: 'nobody', why: { kind: 'no-agents' } });
  });
});
