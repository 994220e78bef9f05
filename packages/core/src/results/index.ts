export { capText, defaultResultLimit } from './cap-text.js';
export { frameResult } from './frame-result.js';
export { createOwnSecretStream } from './own-secret-stream.js';
