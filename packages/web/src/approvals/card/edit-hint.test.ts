import { describe, expect, it } from 'vitest';
import { editHint } from './edit-hint.js';

describe('the hint of the edit form', () => {
  it('[SAFE6] explains placeholders only if one is in the arguments', () => {
    expect(editHint({ arguments: { command: 'ls ‹40 spaces›' } })).not.toContain('masked');
    expect(editHint({ arguments: { headers: [{ token: '‹masked 1›' }] } })).toContain('‹masked …› stands for a secret');
  });
});
