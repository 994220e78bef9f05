import { expect, it } from 'vitest';
import { newValues, readRows, savedRows } from './secret-rows.js';

it('[MCP2] an empty field keeps a saved value, and a removed row removes it', () => {
  const [kept, replaced] = savedRows(['A', 'B']);
  if (kept === undefined || replaced === undefined) throw new Error('no rows');
  const fresh = { id: 9, name: ' C ', value: '', saved: false };
  const rows = [kept, { ...replaced, value: 'two' }, fresh, { id: 10, name: '', value: '', saved: false }];
  expect(readRows(rows)).toEqual({ ok: true, values: { A: null, B: 'two', C: '' } });
  expect(newValues({ A: 'x', C: '' })).toEqual({ A: 'x', C: '' });
});

it('a value without a name and a duplicate name are refused', () => {
  const row = { id: 1, name: '', value: 'x', saved: false };
  expect(readRows([row])).toMatchObject({ ok: false, why: 'no-name' });
  expect(readRows([...savedRows(['A']), { ...row, name: 'A' }])).toMatchObject({
    ok: false,
    why: 'duplicate',
    name: 'A',
  });
});
