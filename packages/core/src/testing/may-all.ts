import type { Safeguards } from '../worlds/refuse-unconfirmed.js';

/** A sender that may do everything, such as an owner. */
export const MAY_ALL: Pick<Safeguards, 'may'> = { may: () => true };
