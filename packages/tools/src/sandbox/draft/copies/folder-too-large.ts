import { limitsText, type DraftLimits } from '../draft-limits.js';

/** Thrown if a working folder would have to be copied and exceeds the limits for that. Nothing ran. */
export class FolderTooLarge extends Error {
  override readonly name = 'FolderTooLarge';

  constructor(limits: DraftLimits) {
    super(
      `nothing ran: this system can't mount an overlay, so the working folder is copied for each command, and it has more than ${limitsText(limits)}. Choose a smaller folder, or run \`countersign doctor\` for how to get overlays`,
    );
  }
}
