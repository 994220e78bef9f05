import type { ListedTool } from '@countersign/protocol';
/** Something to begin with: the required arguments of a tool, empty. */
export declare function exampleArguments(tool: Pick<ListedTool, 'parameters'> | undefined): string;
