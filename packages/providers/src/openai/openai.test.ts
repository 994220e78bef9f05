import { describeProvider } from '../testing/provider-contract.js';
import { openaiWire } from '../testing/openai-wire.js';

describeProvider(openaiWire);
