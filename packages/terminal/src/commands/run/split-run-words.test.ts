import { expect, it } from 'vitest';
import { splitRunWords } from './split-run-words.js';

const split = (text: string): string => splitRunWords(text.split(' ')).join(' ');

it('[RUN13] what follows the name of an agent belongs to the agent', () => {
  expect(split('run claude')).toBe('run --agent claude --');
  expect(split('--home /h run -w docks --json codex -p --json')).toBe(
    '--home /h run -w docks --json --agent codex -- -p --json',
  );
  expect(split('run claude -- -p')).toBe('run --agent claude -- -p');
  // A program, a world and another command of that name.
  for (const text of ['run -- claude', 'run -w claude -- ls', 'agents show claude', 'run npm test claude'])
    expect(split(text)).toBe(text);
});
