import { describe, expect, it } from 'vitest';
import { checkDrilled } from './check-drilled.js';

describe('doctor on a gated agent', () => {
  it('[GATE6] warns unless this version held in a drill', () => {
    expect(checkDrilled('claude', '2.1.3', { version: '2.1.3', gated: true }).state).toBe('fine');
    expect(checkDrilled('claude', '2.1.3', undefined)).toEqual({
      what: 'gate: claude',
      state: 'warning',
      detail: '2.1.3 is installed, but was never drilled',
      advice: 'Run "countersign drill claude".',
    });
    expect(checkDrilled('claude', '2.1.4', { version: '2.1.3', gated: true }).detail).toContain('2.1.3 was drilled');
    expect(checkDrilled('claude', '2.1.3', { version: '2.1.3', gated: false }).state).toBe('warning');
  });
});
