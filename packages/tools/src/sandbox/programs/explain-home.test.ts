import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { explainHome } from './explain-hidden.js';

it('[RULE2] explains HOME in the sandbox if a server doesn’t find a file there', () => {
  expect(explainHome('sh: 1: /tmp/bin/x: not found', '/tmp')).toEqual([
    expect.stringContaining('HOME is /tmp, which is empty'),
  ]);
  expect(explainHome(`Cannot find module '${homedir()}/tools/x.js'`, homedir())).toEqual([
    expect.stringMatching(/^The sandbox hides most of your home\. A rule such as/),
  ]);
  expect(explainHome('ready', '/tmp')).toEqual([]);
});
