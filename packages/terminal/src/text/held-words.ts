/** Said of a message that an agent comes to only after what it waits for (M11). */
export const HELD_WORDS = 'Kept: it is answered when what waits for you is decided.';
