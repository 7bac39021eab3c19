/** The table of all commands. A new command is added here and nowhere else. */
import type { CommandDefinition } from './command.js';

export const COMMANDS = {} as const;

export type CommandName = keyof typeof COMMANDS;
export type CommandInput<Name extends CommandName> =
  (typeof COMMANDS)[Name] extends CommandDefinition<string, infer Input, unknown> ? Input : never;
export type CommandResult<Name extends CommandName> =
  (typeof COMMANDS)[Name] extends CommandDefinition<string, never, infer Result> ? Result : never;
