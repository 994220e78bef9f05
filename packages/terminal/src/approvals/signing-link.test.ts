import { expect, it } from 'vitest';
import { qrCode, signingLink } from './signing-link.js';

it('[TERM3.9] the link to sign a call names the public URL or localhost, never an IP address or a ticket', async () => {
  const linkFor = (open: string): Promise<string> => {
    const startLink = async () => ({ ticket: 't', open, expiresAt: '' });
    return signingLink({ startLink }, 'lab 1', 'c1');
  };
  expect(await linkFor('http://127.0.0.1:4747/#ticket=t')).toBe('http://localhost:4747/w/lab%201/c/c1');
  expect(await linkFor('http://[::1]:4747/#ticket=t')).toBe('http://localhost:4747/w/lab%201/c/c1');
  expect(await linkFor('https://agents.example.com/#ticket=t')).toBe('https://agents.example.com/w/lab%201/c/c1');
});

it('[TERM3.9] a QR code is shown if a phone can open the link and the terminal has room for it', async () => {
  const link = 'https://agents.example.com/w/lab/c/c1';
  const code = (await qrCode(link, { columns: 80, rows: 40 })) ?? '';
  expect(code.split('\n').length).toBeGreaterThan(10);
  expect(code).toMatch(/^[ \n▀▄█]+$/);
  expect(await qrCode(link, { columns: 30, rows: 40 })).toBeUndefined();
  expect(await qrCode(link, { columns: 80, rows: 15 })).toBeUndefined();
  expect(await qrCode('http://localhost:4747/w/lab/c/c1', { columns: 80, rows: 40 })).toBeUndefined();
});
