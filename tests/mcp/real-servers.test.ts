import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLab } from './support/lab.js';
import { freePort, PROGRAMS, startHttpServer, stdio } from './support/servers.js';

const transports = ['stdio', 'http'] as const;

async function everything(transport: (typeof transports)[number], trusted = false) {
  if (transport === 'stdio') return stdio('everything', { trusted });
  const { url } = await startHttpServer([PROGRAMS.everything, 'streamableHttp'], await freePort());
  return { name: 'everything', transport: 'http' as const, url, trusted };
}

describe.each(transports)('server-everything over %s', (transport) => {
  it('[A1] [A3] a tool is asked about before it runs, whatever it says of itself', async () => {
    const lab = await openLab({
      script: [{ calls: [{ name: 'mcp__everything__echo', arguments: { message: 'ahoy' } }] }, 'Done.'],
    });
    await lab.add(await everything(transport));
    await lab.running('everything');
    const chat = await lab.say('echo, please');
    const [approval] = await lab.pending();
    expect(approval).toMatchObject({
      toolName: 'mcp__everything__echo',
      arguments: { message: 'ahoy' },
      why: expect.stringContaining('comes from outside and is not marked trusted') as string,
      sandbox: expect.stringMatching(transport === 'stdio' ? /^(bubblewrap|sandbox-exec|none)/ : /^none: it runs elsewhere/) as string,
    });
    if (approval === undefined) throw new Error('nothing was asked');
    await lab.decide(approval, { decision: 'approve', scope: 'once' });
    expect(await lab.settled(chat)).toBe('idle');
    expect(lab.results()).toEqual(['{"result":"Echo: ahoy"}']);
  });
});
