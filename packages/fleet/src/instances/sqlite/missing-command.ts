/**
 * Whether a command of the executable ended because the Node has no executable (127), or an older one to which the command
 * is unknown (2, as of every wrong use of the command line).
 */
export const isMissingCommand = (exitCode: number | null): boolean => exitCode === 127 || exitCode === 2
