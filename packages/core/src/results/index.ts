export { capText, defaultResultLimit } from './cap-text.js';
export { cleanText, decodeUtf8 } from './clean-text.js';
export { type FrameOptions, type ToolOutcome, frameResult } from './frame-result.js';
