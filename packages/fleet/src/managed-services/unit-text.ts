/** Text of a unit file in which systemd would expand `%`. */
export const withoutSpecifiers = (text: string): string => text.replaceAll('%', '%%')

/** A path for `EnvironmentFile`, which takes patterns. */
export const withoutGlobs = (path: string): string => path.replaceAll(/[\\*?[\]]/g, '\\$&')

/** One word as systemd reads it back (systemd.syntax, systemd.service). */
export function unitWord(word: string): string {
  const escaped = word.replaceAll(/[\\"]/g, '\\$&').replaceAll(/\p{Cc}/gu, (character) => octets(character))
  return `"${withoutSpecifiers(escaped)}"`
}

const octets = (character: string): string =>
  [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

/** Where systemd looks for programs; login shells set their own. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
