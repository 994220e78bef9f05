export { systemClock } from '@countersign/core';
