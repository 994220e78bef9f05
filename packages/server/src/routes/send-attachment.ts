import type { AttachmentRecord } from '@countersign/core/ports';
import { imageTypeSchema, type ImageType } from '@countersign/protocol';

const ENDINGS: Readonly<Record<ImageType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/**
 * A file from a tool. Only images whose type was read from their content are shown; a browser must not open anything else, whatever the tool
 * claims.
 */
export function sendAttachment({ id, kind, mimeType, data }: AttachmentRecord): Response {
  const type = kind === 'image' ? imageTypeSchema.safeParse(mimeType) : undefined;
  const image = type?.success === true ? type.data : undefined;
  const ending = image === undefined ? 'bin' : ENDINGS[image];
  return new Response(Buffer.from(data, 'base64'), {
    headers: {
      'Content-Type': image ?? 'application/octet-stream',
      'Content-Disposition': `${image === undefined ? 'attachment' : 'inline'}; filename="attachment-${id.slice(0, 12)}.${ending}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
  });
}
