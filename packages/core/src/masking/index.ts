export { createChunkMasker } from './create-chunk-masker.js';
export { fillMessage } from './fill-message.js';
export { hasMask, maskPrompt, revealPrompt } from './mask-prompt.js';
export { maskSecrets } from './mask-secrets.js';
export { maskText } from './mask-text.js';
export { maskValue } from './mask-value.js';
export { refusePlaceholder } from './refuse-placeholder.js';
export { reveal } from './reveal.js';
