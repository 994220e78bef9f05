import { expect, it } from 'vitest';
import { alignLine } from './align-line.js';

it('repositions the cursor after characters that terminals measure differently', () => {
  expect(alignLine('plain')).toBe('plain');
  expect(alignLine('\u001B[1mplain\u001B[22m')).toBe('\u001B[1mplain\u001B[22m');
  expect(alignLine('漢字 a')).toBe('漢字\u001B[5G a');
  expect(alignLine('a\u001B[1m🚢\u001B[22mb')).toBe('a\u001B[1m🚢\u001B[4G\u001B[22mb');
});
