import { describeProvider } from '../testing/provider-contract.js';
import { anthropicWire } from '../testing/anthropic-wire.js';

describeProvider(anthropicWire);
