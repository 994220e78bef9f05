/** A model provider that a person added. It belongs to the store, not to a world. */
export interface ProviderRecord {
  /** What agents refer to. Never changes. */
  id: string;
  kind: string;
  /** Unique, ignoring case. */
  name: string;
  /** Null: the address of its kind. */
  baseUrl: string | null;
  /** Encrypted with a key that is not in the store. Null: none. */
  apiKey: string | null;
  /** Raised by every update. */
  rev: number;
  createdAt: number;
}
