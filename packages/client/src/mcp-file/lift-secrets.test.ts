import { fillValues, newMcpServerSchema } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { liftSecrets } from './lift-secrets.js';

const filled = (connection: object) => fillValues(newMcpServerSchema.parse({ name: 'x', ...connection }));

describe('[MCP2.3] liftSecrets', () => {
  it.each([
    [['--api-key', 'abc'], ['--api-key', '${API_KEY}'], ['API_KEY']],
    [
      ['--token=abc', '--token=def'],
      ['--token=${TOKEN}', '--token=${TOKEN_2}'],
      ['TOKEN', 'TOKEN_2'],
    ],
    [['-e', 'GITHUB_TOKEN=a=b'], ['-e', 'GITHUB_TOKEN=${GITHUB_TOKEN}'], ['GITHUB_TOKEN']],
    [
      ['--header', 'Authorization: Bearer abc'],
      ['--header', 'Authorization: Bearer ${AUTHORIZATION}'],
      ['AUTHORIZATION'],
    ],
    [['postgres://me:pw@db/x'], ['postgres://me:${PASSWORD}@db/x'], ['PASSWORD']],
    [['sk-abcdefghijkl'], ['${API_KEY}'], ['API_KEY']],
  ])('moves the secret in %j', (args, expected, names) => {
    const before = { transport: 'stdio' as const, command: 'npx', args, env: { MODE: 'x' } };
    const lifted = liftSecrets(before);
    expect(lifted).toMatchObject({ names, connection: { args: expected, env: { MODE: 'x' } } });
    expect(filled(lifted.connection)).toMatchObject({ args });
  });

  it.each([
    ['npx', ['-y', '@scope/server', '--max-tokens', '100', '--token', '${TOKEN}', '--key', '--verbose']],
    ['bash', ['-c', 'server --token abc', '--token', 'abc']],
  ])('leaves other arguments: %s %j', (command, args) => {
    const connection = { transport: 'stdio' as const, command, args, env: {} };
    expect(liftSecrets(connection)).toEqual({ connection, names: [] });
  });

  it('moves secrets in the path and query of a URL', () => {
    const url = 'https://x.dev/s/abcdefghijklmnopqrstuvwx12/mcp?team=a&api_key=a%26b#top';
    const { connection, names } = liftSecrets({ transport: 'http', url, headers: { api_key: 'other' } });
    expect(connection).toEqual({
      transport: 'http',
      url: 'https://x.dev/s/${URL_KEY}/mcp?team=a&api_key=${API_KEY_2}#top',
      headers: { api_key: 'other', URL_KEY: 'abcdefghijklmnopqrstuvwx12', API_KEY_2: 'a&b' },
    });
    expect(names).toEqual(['URL_KEY', 'API_KEY_2']);
    expect(filled(connection)).toMatchObject({ url, headers: { api_key: 'other' } });
    for (const plain of ['https://x.dev/mcp?team=a', 'not a URL', 'https://x.dev/mcp?key=${KEY}'])
      expect(liftSecrets({ transport: 'http', url: plain, headers: {} }).names).toEqual([]);
  });
});
