import { describe, expect, it } from 'vitest';
import { fillValues } from './fill-values.js';
import { newMcpServerSchema } from './mcp-servers.js';

const program = (command: string, args: string[], env: Record<string, string>) =>
  fillValues(newMcpServerSchema.parse({ name: 'x', transport: 'stdio', command, args, env }));
const remote = (url: string, headers: Record<string, string>) =>
  fillValues(newMcpServerSchema.parse({ name: 'x', transport: 'http', url, headers }));

describe('[MCP2.2] fillValues', () => {
  it('fills arguments from the variables, once, and keeps unknown names', () => {
    const env = { TOKEN: 'a${OTHER}$&', OTHER: 'b' };
    expect(program('npx', ['--token', '${TOKEN}', 'x=${OTHER}', '${HOME}', '${constructor}'], env)).toMatchObject({
      args: ['--token', 'a${OTHER}$&', 'x=b', '${HOME}', '${constructor}'],
      env,
    });
  });

  it('leaves the script of a shell to the shell', () => {
    const args = ['-lc', 'server --token "${TOKEN}"'];
    expect(program('/bin/bash', args, { TOKEN: '"; id; "' })).toMatchObject({ args });
    expect(program('bash', ['run.sh', '${TOKEN}'], { TOKEN: 'x' })).toMatchObject({ args: ['run.sh', 'x'] });
  });

  it('fills the path and query of a URL, encoded, and does not send these headers', () => {
    const filled = remote('https://x.dev/${PART}/mcp?key=${KEY}', { KEY: 'a&b/c', PART: '@evil.dev', 'X-Team': 'one' });
    expect(filled).toMatchObject({ url: 'https://x.dev/%40evil.dev/mcp?key=a%26b%2Fc', headers: { 'X-Team': 'one' } });
  });

  it.each(['https://${KEY}.evil.dev/mcp', 'https://x.dev:80${KEY}/mcp', 'https://${KEY}@evil.dev/mcp'])(
    'never fills the host: %s',
    (url) => {
      const parsed = {
        name: 'x',
        transport: 'http' as const,
        url,
        headers: { KEY: 'abc' },
        trusted: false,
        enabled: true,
      };
      expect(fillValues(parsed)).toEqual(parsed);
    },
  );
});
