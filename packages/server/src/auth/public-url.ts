import { CountersignError } from '@countersign/protocol';

/** Reads `COUNTERSIGN_PUBLIC_URL`, the origin at which people reach the server. Links use it, and its host is accepted. */
export function readPublicUrl(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url !== undefined && isWeb && url.href === `${url.origin}/`) return url.origin;
  const detail = `COUNTERSIGN_PUBLIC_URL: "${value}" is not the URL of a server. Expected something like https://agents.example.com, without a path.`;
  throw new CountersignError('invalid', detail, { field: 'COUNTERSIGN_PUBLIC_URL' });
}
