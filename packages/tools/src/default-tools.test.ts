import { expect, it } from 'vitest';
import { defaultTools } from './default-tools.js';

it('[A1] what every world offers: what only looks or asks runs unasked, all else needs approval', () => {
  const tools = defaultTools({ shell: { sandbox: { kind: 'none', reason: 'a test' }, hide: [] } });
  const table = tools.map(({ definition: { name, approval, readOnly }, trusted }) => [
    name,
    readOnly === true ? 'reads' : 'acts',
    approval?.required === true ? 'asked' : 'unasked',
    trusted,
  ]);
  expect(table).toEqual([
    ['read_file', 'reads', 'unasked', true],
    ['list_files', 'reads', 'unasked', true],
    ['grep', 'reads', 'unasked', true],
    ['write_file', 'acts', 'asked', true],
    ['edit_file', 'acts', 'asked', true],
    ['shell_cmd', 'acts', 'asked', true],
    ['web_fetch', 'acts', 'asked', true],
    ['ask_human', 'reads', 'unasked', true],
    ['send_message', 'acts', 'asked', true],
    ['create_agent', 'acts', 'asked', true],
  ]);
});
