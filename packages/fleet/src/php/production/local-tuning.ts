/** A line of `local.conf` that would change whose code runs, or where it listens. */
export class IdentityOverride extends Error {
  readonly line: string
  constructor(line: string) {
    super('the tuning of a pool overrides its identity')
    this.line = line
  }
}

/** Who runs the code, where it listens, what it may read: these are the records' alone (RTX-126). */
const IDENTITY = /^(user|group|prefix|include|chroot|chdir|listen(\..*)?|access\..*|security\..*)$/i

/** The settings of the file, as they stand, without comments. Throws IdentityOverride. */
export function tuningIn(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith(';') && !line.startsWith('#'))
  for (const line of lines) {
    const name = /^([a-z_.]+)(\[[\w.-]+\])?\s*=/i.exec(line)?.[1]
    if (name === undefined || IDENTITY.test(name)) throw new IdentityOverride(line)
  }
  return lines
}
