import { describe, expect, it } from 'vitest';
import { newId, toolTurnId, turnId } from './ids.js';

describe('newId', () => {
  it('[MODEL5] [STORE2] returns unique ids that sort by creation order', () => {
    const ids = Array.from({ length: 50_000 }, () => newId('call'));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.map((id) => id.slice(0, -16)).toSorted()).toEqual(ids.map((id) => id.slice(0, -16)));
    expect(ids[0]).toMatch(/^call_[0-9a-f]{32}$/);
  });
});

describe('turn ids', () => {
  it('[CALL9] [TURN3] depend only on message, agent and iteration', () => {
    expect(turnId('msg_1', 'ada')).toBe('turn_1.ada');
    expect(toolTurnId('turn_1.ada', 2)).toBe('turn_1.ada.2');
  });
});
