import { describeFile, type MessageAttachment } from '@countersign/protocol';

/** For a terminal, which shows no pictures. */
export function attachmentText({ name, mimeType, bytes }: MessageAttachment): string {
  return `attached: ${name}, ${describeFile(mimeType, bytes)}`;
}
