import { createHash } from 'node:crypto';
import type { Attachment } from '@countersign/protocol';
import type { AttachmentRecord } from '../ports/store/records.js';
import type { NewAttachment } from '../ports/tools/tool.js';
import { readImage } from './read-image.js';

/** Anthropic accepts images of up to 5 MB in base64. */
const MAX_BYTES = 3_500_000;
const MAX_BYTES_PER_CALL = 10_000_000;
const MAX_FILES = 16;
/** Screenshots of a few hundred turns. Without a limit, a server could fill the disk from one chat. */
const MAX_BYTES_PER_CHAT = 100_000_000;
/** A larger picture would take hundreds of megabytes in a browser once it is decompressed. */
const MAX_PIXELS = 50_000_000;
const UNKNOWN_TYPE = 'application/octet-stream';
const MIME_TYPE = /^[a-z0-9][\w.+-]{0,63}\/[a-z0-9][\w.+-]{0,63}$/i;

export interface AttachmentCollector {
  attach(file: NewAttachment): Attachment | { refused: string };
  /** The files to store before the result that describes them. */
  files(): readonly Omit<AttachmentRecord, 'chatId'>[];
  /** Descriptions in the order in which the files were attached. */
  list(): readonly Attachment[];
}

/**
 * Collects the files that one call returns. Content and type come from the tool and are untrusted (TURN16). `stored`: the bytes that the chat
 * already has.
 */
export function collectAttachments(ownSecrets: () => readonly string[], stored = 0): AttachmentCollector {
  const files = new Map<string, Omit<AttachmentRecord, 'chatId'>>();
  const list: Attachment[] = [];
  let total = 0;
  return {
    attach({ mimeType, base64 }) {
      if (list.length >= MAX_FILES) return { refused: `a call can return at most ${MAX_FILES} files` };
      // Compare lengths first: decoding a huge text would block the process.
      if (base64.length > (MAX_BYTES * 4) / 3 + 4) return { refused: 'larger than 3.5 MB' };
      const content = Buffer.from(base64, 'base64');
      const data = content.toString('base64');
      if (data.replace(/=+$/, '') !== base64.replace(/=+$/, '')) return { refused: 'invalid base64' };
      if (content.length === 0) return { refused: 'empty' };
      if (total + content.length > MAX_BYTES_PER_CALL) return { refused: 'a call can return at most 10 MB' };
      if (stored + total + content.length > MAX_BYTES_PER_CHAT)
        return { refused: 'this chat already has 100 MB of files from tools; start a new chat to get more' };
      // A mask in binary content would corrupt it.
      if (ownSecrets().some((secret) => content.includes(secret))) return { refused: 'it contains a secret' };
      const id = createHash('sha256').update(content).digest('hex');
      const isSafe = MIME_TYPE.test(mimeType) && !ownSecrets().some((secret) => mimeType.includes(secret));
      const attachment = describe(id, content, isSafe ? mimeType : UNKNOWN_TYPE);
      total += content.length;
      list.push(attachment);
      const { kind, mimeType: type } = attachment;
      if (!files.has(id)) files.set(id, { id, kind, mimeType: type, data });
      return attachment;
    },
    files: () => [...files.values()],
    list: () => list,
  };
}

/** The type of an image is read from its content; a wrong claim has no effect. Anything else can only be downloaded. */
function describe(id: string, content: Buffer, claimed: string): Attachment {
  const image = readImage(content);
  const bytes = content.length;
  const pixels = image?.size === undefined ? 0 : image.size.width * image.size.height;
  if (image !== undefined && pixels > 0 && pixels <= MAX_PIXELS)
    return { id, bytes, kind: 'image', mimeType: image.type };
  return { id, bytes, kind: 'file', mimeType: claimed };
}
