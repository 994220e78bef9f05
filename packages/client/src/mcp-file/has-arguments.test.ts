import { expect, it } from 'vitest';
import { hasArguments } from './has-arguments.js';

it.each([
  ['npx -y @modelcontextprotocol/server-everything', true],
  ['  node\tserver.js', true],
  ['npx ', false],
  ['npx', false],
  ['/opt/My Tools/server', false],
  ['./my server', false],
  ['~/My Tools/server', false],
  ['', false],
])('a program name followed by arguments: %j is %s; a path may contain spaces', (command, expected) => {
  expect(hasArguments(command)).toBe(expected);
});
