import { describeProvider } from '../testing/provider-contract.js';
import { googleWire } from '../testing/google-wire.js';

describeProvider(googleWire);
