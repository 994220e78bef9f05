import type { Client } from '@countersign/client';
import { isIP } from 'node:net';

/** The page on which a person signs a call with a passkey. Passkeys don't work at an IP address, so a loopback address becomes `localhost`. */
export async function signingLink(client: Pick<Client, 'startLink'>, world: string, chat: string): Promise<string> {
  // Only the server knows the URL at which people reach it.
  const url = new URL((await client.startLink()).open);
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) > 0) url.hostname = 'localhost';
  url.hash = '';
  url.pathname = `/w/${encodeURIComponent(world)}/c/${encodeURIComponent(chat)}`;
  return url.href;
}

/** A QR code for a phone. Undefined if the screen is too small, or if the link only works on this machine. */
export async function qrCode(
  link: string,
  { columns, rows }: { columns: number; rows: number },
): Promise<string | undefined> {
  if (new URL(link).hostname === 'localhost') return undefined;
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(link, { ecc: 'L', border: 1 }).trim().split('\n');
  const isWide = lines.every((line) => line.length + 4 <= columns);
  return isWide && lines.length + 4 <= rows ? lines.map((line) => `  ${line}`).join('\n') : undefined;
}
