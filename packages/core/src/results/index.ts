export { capText, defaultResultLimit } from './cap-text.js';
export { frameResult } from './frame-result.js';
