import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { oneLine } from '../people/people.js';

/** The image types that are shown and sent to models. SVG is not one of them: it can contain scripts. */
export const imageTypeSchema = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** The type of an image, determined from its first bytes. */
export type ImageType = z.infer<typeof imageTypeSchema>;

const common = {
  id: field(z.string().regex(/^[0-9a-f]{64}$/), 'The SHA-256 of the content in hexadecimal.'),
  bytes: field(z.number().int().min(0), 'Size in bytes.'),
};

/**
 * A file that a tool returned (TURN16). It is stored with its chat; results contain only this description. The type of a `file` is what the tool
 * claims, and must not be trusted.
 */
export const attachmentSchema = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('image'), mimeType: field(imageTypeSchema.clone(), 'Media type.') }),
  z.object({ ...common, kind: z.literal('file'), mimeType: field(z.string().max(130), 'Media type.') }),
]);
/** A file that a tool returned. */
export type Attachment = z.infer<typeof attachmentSchema>;

/** In base64: requests can have at most 4 MB. */
const LONGEST_UPLOAD = 4_000_000;
const idSchema = z.string().regex(/^[0-9a-f]{64}$/, 'must be the id of an attachment');

/** A file for messages in this chat (TURN17). Its type follows from the content. */
export const newAttachmentSchema = z.strictObject({
  name: field(oneLine(200), 'Name of the file. For people and models; it opens nothing.'),
  mimeType: field(z.string().max(200).exactOptional(), 'What the sender takes it for. It has no effect.'),
  base64: field(
    z.string().max(LONGEST_UPLOAD, 'a file can have at most 3 MB'),
    'The content in base64: a PNG, JPEG, GIF or WebP picture, or text in UTF-8.',
  ),
});
export type NewAttachment = z.infer<typeof newAttachmentSchema>;

/** A file that a message names. */
export const sentAttachmentSchema = z.strictObject({
  id: field(idSchema.clone(), 'Id of an attachment of this chat.'),
  name: field(oneLine(200), 'Name of the file.'),
});
export type SentAttachment = z.infer<typeof sentAttachmentSchema>;

export const messageAttachmentSchema = z.object({
  id: field(idSchema.clone(), 'The SHA-256 of the content in hexadecimal.'),
  name: text('Name of the file, from its sender.'),
  kind: field(z.enum(['image', 'text']), 'image or text, determined from the content.'),
  mimeType: text('Media type, determined from the content.'),
  bytes: field(z.number().int().min(0), 'Size in bytes.'),
});
api.add(messageAttachmentSchema, { id: 'MessageAttachment' });
/** A file in a message of a person. */
export type MessageAttachment = z.infer<typeof messageAttachmentSchema>;

const frameSchema = z.object({ attachments: z.array(attachmentSchema) });

/** The attachments of a parsed result. They are at the top level of its JSON, where text from a tool can't be. */
export function readAttachments(result: unknown): Attachment[] {
  // Almost no result has any, and a failed parse is slow (LIMIT1).
  if (typeof result !== 'object' || result === null || !('attachments' in result)) return [];
  const frame = frameSchema.safeParse(result);
  return frame.success ? frame.data.attachments : [];
}

/** The attachments of a stored result. */
export function attachmentsIn(result: string): Attachment[] {
  // Parsing every result of a long chat would be slow.
  if (!result.includes('"attachments":[{"id":"')) return [];
  try {
    return readAttachments(JSON.parse(result));
  } catch {
    return [];
  }
}

/** For example `image/png, 12 kB`. */
export function describeFile(mimeType: string, bytes: number): string {
  return `${mimeType}, ${fileSize(bytes)}`;
}

/** For example `12 kB`. */
function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const kilobytes = Math.round(bytes / 1_000);
  return kilobytes < 1_000 ? `${kilobytes} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
