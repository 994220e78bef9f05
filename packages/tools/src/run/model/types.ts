export type Vendor = 'anthropic' | 'openai' | 'gemini';

/** Where requests for a vendor's models go, with the person's key. It never enters the sandbox. */
export interface ModelRoute {
  readonly vendor: Vendor;
  /** The vendor's own base URL, or the one in the person's environment. */
  readonly url: string;
  readonly credential: { readonly header: 'x-api-key' | 'authorization' | 'x-goog-api-key'; readonly value: string };
  /** Bodies may make the vendor fetch addresses (`--allow-fetch`). */
  readonly allowsFetch: boolean;
}
