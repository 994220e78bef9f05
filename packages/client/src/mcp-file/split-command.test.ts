import { expect, it } from 'vitest';
import { splitCommand } from './split-command.js';

it.each([
  ['npx -y some-server /path', 'npx', ['-y', 'some-server', '/path']],
  ['  uvx\tserver   --flag ', 'uvx', ['server', '--flag']],
  [`npx srv "/My Files" 'a "b"' x\\ y ""`, 'npx', ['srv', '/My Files', 'a "b"', 'x y', '']],
  [String.raw`node s.js "a \"b\" \n"`, 'node', ['s.js', String.raw`a "b" \n`]],
  ['"/opt/My Tools/server" --root=/x', '/opt/My Tools/server', ['--root=/x']],
  ['npx srv --header "Bearer ${TOKEN}" ${URL}', 'npx', ['srv', '--header', 'Bearer ${TOKEN}', '${URL}']],
  [`npx srv 'a && b' "$(x)"`, 'npx', ['srv', 'a && b', '$(x)']],
  ['npx srv https://example.com/?a=1', 'npx', ['srv', 'https://example.com/?a=1']],
  // A path may contain spaces.
  ['/opt/My Tools/server', '/opt/My Tools/server', []],
  ['~/My Tools/server', '~/My Tools/server', []],
  ['npx', 'npx', []],
  ['', '', []],
])('[MCP1.4] splits %j', (line, command, args) => {
  expect(splitCommand(line)).toEqual({ ok: true, command, args });
});

it.each([
  ['cd /x && npx srv', '&&'],
  ['npx srv | tee log', '|'],
  ['npx srv > log', '>'],
  ['npx srv $(pwd)', '$('],
  ['npx srv $HOME/x', '$HOME'],
  ['npx srv `pwd`', '`'],
  ['npx a; npx b', ';'],
  ['KEY=abc npx srv', 'KEY='],
])('[MCP1.4] refuses what needs a shell: %j', (line, syntax) => {
  expect(splitCommand(line)).toEqual({ ok: false, why: 'shell', syntax });
});

it('[MCP1.4] refuses a quote that is never closed', () => {
  expect(splitCommand('npx srv "/My Files')).toEqual({ ok: false, why: 'open-quote' });
});
