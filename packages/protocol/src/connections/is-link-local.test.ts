import { expect, it } from 'vitest';
import { mcpServerChangeSchema, newMcpServerSchema } from './mcp-servers.js';
import { newProviderSchema } from './providers.js';

function problemOf(host: string): string | undefined {
  const given = { kind: 'openai-compatible', name: 'x', baseUrl: `http://${host}/v1`, apiKey: 'k' };
  return newProviderSchema.safeParse(given).error?.issues[0]?.message;
}

it.each([
  '169.254.169.254',
  '169.254.0.1:8080',
  '169.254.169.254.',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169.16689662',
  '169.254.0x',
  '169%2e254.169.254',
  '１６９.254.169.254',
  '169。254。169。254',
  '168.63.129.16',
  '168.63.33040',
  '[fe80::1]:8000',
  '[febf::1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::169.254.169.254]',
  '[64:ff9b::169.254.169.254]',
  '[fd00:ec2::254]',
  '[FD00:0ec2:0:0:0:0:0:254]',
  'Metadata.Google.Internal',
  'meta%64ata.google.internal',
])('[MODEL7.3] %s is a link-local address or a metadata service', (host) => {
  expect(problemOf(host)).toContain('must not be a link-local address');
});

it.each([
  '127.0.0.1:8000',
  'localhost',
  '10.0.0.5',
  '169.253.1.1',
  '168.63.129.17',
  '[::1]:8000',
  '[fd00::5]',
  '169.254.example.com',
  'api.openai.com',
])('[MODEL7.3] %s is neither', (host) => {
  expect(problemOf(host)).toBeUndefined();
});

it.each(['169.254.169.254', '2852039166', '169%2e254.169.254', '[fe80::1]:8000', 'me@169.254.169.254', 'metadata'])(
  '[MCP3.5] an MCP server can’t be at %s',
  (host) => {
    const server = { name: 'x', transport: 'http', url: `http://${host}/mcp` };
    expect(newMcpServerSchema.safeParse(server).error?.issues[0]?.message).toMatch(/link-local|nvalid/);
    const { url } = server;
    expect(mcpServerChangeSchema.safeParse({ url }).success).toBe(false);
  },
);
