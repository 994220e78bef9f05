import type { SecretBox } from '@countersign/core/ports';
import { errorMessage } from '@countersign/core/ports';
import { deriveKey, seal, unseal } from './seal.js';
import type { SecretsKey } from './secrets-key.js';

/** Encrypts MCP server values in the same way as API keys (MODEL8). */
export function createSecretBox(secrets: SecretsKey): SecretBox {
  return {
    seal: (value, purpose) => seal(secrets.get(), value, purpose),
    deriveKey: (purpose) => deriveKey(secrets.get(), purpose),
    unseal(sealed, purpose) {
      try {
        const opened = unseal(secrets.get(), sealed, purpose);
        return opened.ok ? opened : { ok: false, problem: opened.why === 'other-key' ? OTHER_KEY : DAMAGED };
      } catch (error) {
        return { ok: false, problem: `can't be decrypted: ${errorMessage(error)}` };
      }
    },
  };
}

const OTHER_KEY =
  'were encrypted with another secrets key (servers that share a database need the same COUNTERSIGN_SECRETS_KEY)';
const DAMAGED = "can't be decrypted, because the record was changed";
