/** The exit status of the remote command that an error comes from, which the error or one of its causes has (ACT-015). */
export function exitCodeOf(error: unknown): number | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('exitCode' in at && typeof at.exitCode === 'number') return at.exitCode
  return undefined
}
