import type { ImageType } from '@countersign/protocol';

interface ImageFacts {
  type: ImageType;
  /** Undefined if the header doesn't say. */
  size: { width: number; height: number } | undefined;
}

const ascii = (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end);

/**
 * The type and dimensions in the header of an image. Undefined if the content is not an image that browsers and models accept. Nothing is
 * decompressed: a small file can decompress to gigabytes.
 */
export function readImage(bytes: Buffer): ImageFacts | undefined {
  if (ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return { type: 'image/png', size: pngSize(bytes) };
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return { type: 'image/gif', size: gifSize(bytes) };
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP')
    return { type: 'image/webp', size: webpSize(bytes) };
  if (ascii(bytes, 0, 3) === '\xff\xd8\xff') return { type: 'image/jpeg', size: jpegSize(bytes) };
  return undefined;
}

function pngSize(bytes: Buffer): ImageFacts['size'] {
  if (bytes.length < 24 || ascii(bytes, 12, 16) !== 'IHDR') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): ImageFacts['size'] {
  return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): ImageFacts['size'] {
  if (bytes.length < 30) return undefined;
  switch (ascii(bytes, 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Walks the segments up to the first frame header. */
function jpegSize(bytes: Buffer): ImageFacts['size'] {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
