import { expect, it } from 'vitest';
import { hostLines } from './effect-lines.js';

it('[RUN22.2] has the command that allows a host for the next run, and none with a name that a shell could read otherwise', () => {
  const names = ['example.com', 'x"y.example', '$(touch x).example', '10.0.0.1'];
  const hosts = names.map((host) => ({ host, port: 443, allowed: false, count: 1 }));
  const rest = { files: [], leftOut: [], effectHash: 'x', exitCode: 0, output: '', truncated: false };
  const effect = { ...rest, run: { program: ['make'], exitCode: 0, hosts } };
  const lines = hostLines({ toolName: 'run', options: ['deny', 'approve_once'], effect }, 120);
  expect(lines.map((spans) => spans.map(({ text }) => text).join(''))).toEqual([
    expect.stringContaining("For the next run: countersign policy add 'allow sandbox_network(example.com)'"),
  ]);
});
