import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../examples', import.meta.url));

const printed: Readonly<Record<string, readonly string[]>> = {
  'own-tool.mjs': [
    'TOOL_EXECUTION_FAILED to: Invalid email address',
    'TOOL_APPROVAL_REQUESTED',
    'Send "Hello" to ada@example.org? deny approve_once approve_session',
    'TOOL_APPROVED',
    'TOOL_EXECUTION_STARTED',
    'sending to ada@example.org',
    'TOOL_EXECUTION_SUCCEEDED',
    "[ 'Hello' ]",
    'The email is on its way.',
  ],
  'several-agents.mjs': [
    'human: A line about harbours, please.',
    'writer: @Editor Ships come and ships go, all day long.',
    'editor: @Writer Make it shorter.',
    'writer: @Editor Ships come, ships go. @Editor in the middle addresses nobody.',
    'idle',
  ],
  'approvals-from-code.mjs': [
    'paint approved',
    'repeated',
    'crane denied',
    'idle',
    'run pay allow pay(to=water, euros <= 20)',
    'decision pay approve purse-strings',
    'run pay',
    'decision pay deny purse-strings',
    'Water and paint are paid, the crane is not.',
  ],
};

describe('the examples', () => {
  it('are all listed here', () => {
    expect(
      readdirSync(folder)
        .filter((name) => name.endsWith('.mjs'))
        .toSorted(),
    ).toEqual(Object.keys(printed).toSorted());
  });

  it.each(Object.entries(printed))('%s prints the expected output', async (name, lines) => {
    const { stdout, stderr } = await run(process.execPath, [join(folder, name)]);
    expect({ lines: stdout.trimEnd().split('\n'), stderr }).toEqual({ lines, stderr: '' });
  });
});
