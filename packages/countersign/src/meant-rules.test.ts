import { createWorld, setPolicy, showPolicy } from '@countersign/core';
import { shellCmd } from '@countersign/tools';
import { expect, it } from 'vitest';
import { createTestEngine, person } from './testing/test-engine.js';

it('[RULE5.7] a command without its tool, and a star that covers nothing, get the rule that was meant', async () => {
  const shell = shellCmd({ sandbox: { kind: 'sandbox-exec', program: '/nowhere' } });
  const engine = await createTestEngine({ tools: [shell] });
  const { runtime } = engine;
  const { id } = await createWorld(runtime, { name: 'Harbour' }, person);
  const save = async (rules: string[]) => await setPolicy(runtime, id, rules, person);
  await expect(save(['# mine', 'allow npm test'])).rejects.toThrow('Did you mean "allow shell_cmd(npm test)"?');
  await expect(save(['allow rm -rf x until 2030-01-01'])).rejects.toThrow(
    '"allow shell_cmd(rm -rf x) until 2030-01-01"',
  );
  await expect(save(['allow read_file docs'])).rejects.toThrow('Did you mean "allow shell_cmd(read_file docs)"?');
  await expect(save(['allow shell_cmd npm test'])).rejects.toThrow('in parentheses directly after the tool name');
  await save([
    'allow shell_cmd(npx *)',
    'allow shell_cmd(npm *)',
    'allow shell_cmd(git *)',
    'allow shell_cmd(ls *)',
    'allow shell_cmd(npm test)',
  ]);
  const { warnings } = (await showPolicy(runtime, id)).value;
  expect(warnings).toEqual([
    {
      line: 1,
      rule: 'allow shell_cmd(npx *)',
      code: 'star-nothing',
      tool: 'shell_cmd',
      meant: 'allow shell_cmd(npx test)',
    },
  ]);
  await engine.close();
});
