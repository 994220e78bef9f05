/**
 * Amber: waiting for a person. Green: approved or succeeded. Red: denied or failed. Nothing else uses these colours.
 */
export type Tone = 'neutral' | 'blue' | 'amber' | 'green' | 'red';
