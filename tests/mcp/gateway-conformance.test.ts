import { execFile } from 'node:child_process';
import { addAgent } from '@countersign/core';
import { expect, it } from 'vitest';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { isFullSize } from '../support/scaled.js';
import { root } from '../support/source-modules.js';
import { relayTo, serveLab } from './support/gateway.js';
import { ME, openLab } from './support/lab.js';
import { startHttpServer } from './support/servers.js';

const SUITE = `${root}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
const FIXTURES = `${root}tests/mcp/fixtures/`;

/** What the gateway has: the handshake and tools. Prompts, resources and questions of a server stay with the people of the world. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
];
const SAMPLE = 'tools-call-mixed-content';

/** The scenarios of the official suite that a server passes, of all or of one. */
async function passed(url: string, only?: string): Promise<string[]> {
  const which = only === undefined ? ['--suite', 'all'] : ['--scenario', only];
  const words = ['--import', `${FIXTURES}patient-suite.mjs`, SUITE, 'server', '--url', url, ...which];
  const { code, said } = await new Promise<{ code: number; said: string }>((resolve) => {
    execFile(process.execPath, words, { env: { ...process.env, NO_COLOR: '1' } }, (error, stdout) =>
      resolve({ code: error === null ? 0 : 1, said: stdout }),
    );
  });
  if (only !== undefined) return code === 0 ? [only] : [];
  return [...said.matchAll(/^✓ (\S+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name ?? '');
}

/** The conformance server, direct and through the gateway of a world. */
async function openBoth(): Promise<{ direct: string; gateway: string }> {
  const { url: direct } = await startHttpServer([`${FIXTURES}conformance-server.mjs`], await freePort());
  const lab = await openLab({ policy: ['allow mcp__suite__*'] });
  await lab.add({ name: 'suite', transport: 'http', url: direct });
  await lab.running('suite');
  const { id } = await addAgent(
    lab.engine.runtime,
    lab.worldId,
    { name: 'Suite', provider: 'external', model: 'suite', tools: ['mcp__suite__*'] },
    ME,
  );
  const { url, token } = await serveLab(lab);
  const gateway = await relayTo(`${url}/mcp/${lab.worldId}?agent=${id}`, token, 'mcp__suite__');
  return { direct, gateway };
}

it('[EXT2.5] passes the same scenarios of the official suite with and without the gateway', async () => {
  const { direct, gateway } = await openBoth();
  const only = isFullSize ? undefined : SAMPLE;
  const without = isFullSize ? await passed(direct) : [SAMPLE];
  expect(without).toEqual(expect.arrayContaining(isFullSize ? SCENARIOS : [SAMPLE]));
  expect(await passed(gateway, only)).toEqual(expect.arrayContaining(without));
});
