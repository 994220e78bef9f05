import { MODEL_ADDRESS } from '../../sandbox/gateway/listen-scripts.js';
import type { Vendor } from './types.js';

/** What an agent gets instead of the key. The gateway refuses every other credential. */
export const PLACEHOLDER = 'placeholder-of-countersign-run';

interface VendorAddress {
  /** The vendor's own base URL, and the variables in which people have another one. */
  readonly url: string;
  readonly variables: readonly string[];
  /** The path of the base URL inside. */
  readonly inside: string;
}

export const VENDOR_ADDRESSES: Readonly<Record<Vendor, VendorAddress>> = {
  anthropic: {
    url: 'https://api.anthropic.com',
    variables: ['ANTHROPIC_BASE_URL'],
    inside: '/anthropic',
  },
  openai: {
    url: 'https://api.openai.com/v1',
    variables: ['OPENAI_BASE_URL'],
    inside: '/openai/v1',
  },
  gemini: {
    url: 'https://generativelanguage.googleapis.com',
    variables: ['GOOGLE_GEMINI_BASE_URL'],
    inside: '/gemini',
  },
};

/** The base URL of a vendor for programs in the run. */
export function insideUrl(vendor: Vendor): string {
  return `http://${MODEL_ADDRESS}${VENDOR_ADDRESSES[vendor].inside}`;
}
