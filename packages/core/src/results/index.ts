export { capText, defaultResultLimit } from './cap-text.js';
export { collectAttachments } from './collect-attachments.js';
export type { AttachmentCollector } from './collect-attachments.js';
export { frameResult } from './frame-result.js';
export { createOwnSecretStream } from './own-secret-stream.js';
