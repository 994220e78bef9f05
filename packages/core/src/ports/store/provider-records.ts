/** A model provider that a person added. It belongs to the store, not to a world. */
export interface ProviderRecord {
  /** The id that agents refer to. Never changes. */
  id: string;
  kind: string;
  /** Unique, ignoring case. */
  name: string;
  /** Null: the default URL for its kind. */
  baseUrl: string | null;
  /** Encrypted with a key that is not in the store. Null if there is no key. */
  apiKey: string | null;
  /** Incremented by every update. */
  rev: number;
  createdAt: number;
}
