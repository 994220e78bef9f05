import type { World } from '@countersign/protocol';
import { type ReactElement } from 'react';
export declare function NewWorld({ onClose, onMade }: {
    onClose: () => void;
    onMade: (world: World) => void;
}): ReactElement;
