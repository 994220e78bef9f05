export { createSecretBox } from './secret-box.js';
export { givenSecretsKey } from './secrets-key.js';
