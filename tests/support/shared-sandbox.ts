export { sharedSandbox } from '../../packages/tools/src/testing/shared-sandbox.js';
