import { expect, it } from 'vitest';
import { hasDecided, peopleIn } from './people-in-turns.js';

const span = { kind: 'waiting', label: 'approval', startedAt: '', outcome: 'approved' } as const;
const bob = { kind: 'person', id: 'bob', name: 'Bob' } as const;
const ada = { kind: 'person', id: 'ada', name: 'Ada' } as const;

it('[LOG1.6] finds the turns in which a person decided something', () => {
  const turns = [
    { spans: [{ ...span, who: bob }, span] },
    {
      spans: [
        { ...span, who: ada },
        { ...span, who: { kind: 'agent', id: 'mason', name: 'Mason' } as const },
      ],
    },
    { spans: [] },
  ];
  expect(peopleIn(turns)).toEqual([
    { id: 'ada', name: 'Ada' },
    { id: 'bob', name: 'Bob' },
  ]);
  expect(turns.map((turn) => hasDecided(turn, 'bob'))).toEqual([true, false, false]);
});
