import { expect, it } from 'vitest';
import { alignLine } from './align-line.js';

it('repositions the cursor after characters that terminals measure differently', () => {
  const aligned = (...texts: readonly string[]): string[] =>
    alignLine(texts.map((text) => ({ text }))).map(({ text }) => text);
  expect(aligned('plain')).toEqual(['plain']);
  expect(aligned('漢字 a')).toEqual(['漢字\u001B[5G a']);
  expect(aligned('a', '🚢', 'b')).toEqual(['a', '🚢', '\u001B[4Gb']);
});
