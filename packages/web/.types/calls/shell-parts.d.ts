export interface ShellPart {
    kind: 'plain' | 'string' | 'variable' | 'operator' | 'comment' | 'flag' | 'name';
    text: string;
}
/** Colours for a command. Nothing is left out or changed: the parts joined are the text, whatever a part is taken for. */
export declare function shellParts(command: string): ShellPart[];
