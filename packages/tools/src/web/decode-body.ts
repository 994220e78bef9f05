import { TextDecoder } from 'node:util';

/** Uses the byte order mark, otherwise the charset from the header, otherwise the meta tag, otherwise UTF-8. Invalid bytes become U+FFFD. */
export function decodeBody(body: Uint8Array, contentType: string): string {
  const label = byMark(body) ?? charsetOf(contentType) ?? byMeta(body) ?? 'utf-8';
  return decoder(label).decode(body);
}

function decoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // The charset is unknown. Most text is readable as UTF-8.
    return new TextDecoder('utf-8');
  }
}

function charsetOf(text: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(text)?.[1];
}

function byMark([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return undefined;
}

/** The meta tag is within the first kilobyte, in ASCII. */
function byMeta(body: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(body.subarray(0, 1024));
  const meta = /<meta\s[^>]{0,200}charset[^>]{0,80}>/i.exec(head)?.[0];
  const xml = /^<\?xml\s[^>]{0,200}encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head)?.[1];
  return meta === undefined ? xml : charsetOf(meta);
}
