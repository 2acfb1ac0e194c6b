import type { CliCommand } from '@fleet/surfaces'

/** Everything about a command but how it runs. */
export type CommandSpec = Omit<CliCommand, 'method' | 'path' | 'kind' | 'creates' | 'changesWith'>
