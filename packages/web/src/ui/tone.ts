/** Amber waits for a person, green is signed or succeeded, red is denied or failed; nothing else is. */
export type Tone = 'neutral' | 'blue' | 'amber' | 'green' | 'red';
