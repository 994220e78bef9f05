/** Where letters are text or choose something, so that they are no shortcuts. */
export const TYPED = 'input, textarea, select, [contenteditable], [role=menu], dialog';
