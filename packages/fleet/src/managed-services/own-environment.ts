import { textFile } from '@fleet/shell'

const READER = textFile('with-environment.pl', import.meta.url)

/**
 * The command with the variables of a file that the user who runs it may change. systemd would read an `EnvironmentFile` as root,
 * through every link, and give its variables to the unit's commands of root (decision 0312). What is `kept` the file does not set.
 */
export const withOwnEnvironment = (
  file: string,
  kept: readonly string[],
  command: readonly string[],
): readonly string[] => ['/usr/bin/perl', '-e', READER, '--', file, kept.join(' '), ...command]
