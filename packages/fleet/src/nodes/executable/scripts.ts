import { type Command, script, withPayload, ROOT_FILES } from '@fleet/shell'

/** Where the one executable stands on a Node, and the command that people type. */
export interface ExecutablePlace {
  readonly directory: string
  readonly link: string
}

export const EXECUTABLE_PLACE: ExecutablePlace = { directory: '/opt/fleet/bin', link: '/usr/local/bin/fleet' }

/** Its file in the place. */
export const executableFile = ({ directory }: ExecutablePlace): string => `${directory}/fleet`

/** Bytes that the executable's disk keeps free: a full disk stops more than an upgrade. */
const SPARE_BYTES = 16 * 1024 * 1024

/**
 * Shell functions over `$directory` and `$link`: `executable_state` answers the fields `architecture`, `executable`
 * (SHA-256; empty when it is missing or not root's own 0755), `sealed`, `unsealed` (the facts to seal it with, if it is not)
 * and `command` (`own`, `missing` or `foreign`). Hashing 120 MB takes up to a second, so a seal keeps the digest beside
 * what changes with every write to the file: its inode, size and both times. Nobody but root can write it, and root could
 * replace anything.
 */
export const EXECUTABLE_STATE = `
facts_of() { stat -c '%i %s %.9Y %.9Z' -- "$1"; }
sealed_digest() {
  [ "$(owned "$directory/.seal")" = 600 ] && [ "$(owned "$directory/fleet")" = 755 ] && [ ! -L "$directory/fleet" ] || return 1
  { read -r sealed && read -r facts; } <"$directory/.seal"
  [ "$facts" = "$(facts_of "$directory/fleet")" ] && printf '%s' "$sealed"
}
executable_state() {
  unsealed=
  if found=$(sealed_digest); then field sealed yes
  else
    unsealed=$(facts_of "$directory/fleet")
    found=$(sound 755 "$directory/fleet")
    # Written while it was read.
    [ "$unsealed" = "$(facts_of "$directory/fleet")" ] || unsealed=
    field sealed no
  fi
  field unsealed "$unsealed"
  field architecture "$(uname -m)"
  field executable "$found"
  # A copy of the same program is as good as the link, such as the one that installed the gateway.
  if [ "$(readlink -- "$link")" = "$directory/fleet" ]; then field command own
  elif [ ! -e "$link" ] && [ ! -L "$link" ]; then field command missing
  elif [ -n "$found" ] && [ "$(sha256sum <"$link" | cut -c 1-64)" = "$found" ]; then field command own
  else field command foreign; fi
}
`

/** The command where nothing stands in its place, and the seal of what stands in the executable's. */
const LINK_COMMAND = `
# seal DIGEST FACTS
seal() { printf '%s\\n%s\\n' "$1" "$2" | put 600 "$directory/.seal"; }
link_command() {
  umask 022
  [ -e "$link" ] || [ -L "$link" ] || { mkdir -p -- "\${link%/*}" && ln -sT -- "$directory/fleet" "$link"; }
}
`

export const inspectExecutable = ({ directory, link }: ExecutablePlace): Command =>
  script(INSPECT, directory, link)

const INSPECT = `# look at the executable
${ROOT_FILES}
directory=$1 link=$2
${EXECUTABLE_STATE}
executable_state
`

export interface ExecutableUpload {
  readonly sha256: string
  /** Bytes of the executable itself. */
  readonly size: number
  /** gzip of it. */
  readonly gzip: Uint8Array
}

/** Puts it in place, whole and tried, or leaves the one before it. Answers `placed` or a reason of `PLACE_REASONS`. */
export const placeExecutable = (
  { directory, link }: ExecutablePlace,
  { sha256, size, gzip }: ExecutableUpload,
): Command => withPayload(script(PLACE, directory, link, sha256, size + SPARE_BYTES), gzip)

const PLACE = `# put the executable in place
${ROOT_FILES}
directory=$1 link=$2 sha256=$3 bytes=$4
${EXECUTABLE_STATE}
${LINK_COMMAND}
umask 022
directory 755 "$directory" || refuse configuration_failed
# Two uploads at once would use the same candidate.
exec 9>"$directory/.lock" && flock -w 120 9 || refuse configuration_failed
candidate=$directory/.fleet-candidate
rm -f -- "$candidate" "$directory/.seal"
free=$(df -Pk -- "$directory" | awk 'NR == 2 { print $4 }')
[ "\${free:-0}" -ge "$((bytes / 1024))" ] || refuse disk_full
trap 'rm -f -- "$candidate"' EXIT
trap 'exit 1' HUP INT PIPE TERM
(set -C && gzip -dc >"$candidate")
[ "$(digest "$candidate")" = "$sha256" ] || refuse checksum_mismatch
chmod 755 "$candidate" && sync "$candidate" || refuse configuration_failed
# A program for another C library or machine fails here, not when the agent starts.
HOME=/nonexistent timeout 30 "$candidate" --version </dev/null >/dev/null || refuse candidate_invalid
mv -fT -- "$candidate" "$directory/fleet" && sync "$directory" || refuse configuration_failed
trap - EXIT
# Nobody but root could have written it since it was hashed.
seal "$sha256" "$(facts_of "$directory/fleet")"
link_command
executable_state
`

/** Puts the command where nothing stands, and seals the executable unless it was written since it was looked at. */
export const linkExecutable = (
  { directory, link }: ExecutablePlace,
  { sha256 = '', unsealed }: { readonly sha256: string | undefined; readonly unsealed: string },
): Command => script(LINK, directory, link, sha256, unsealed)

const LINK = `# link and seal the executable
${ROOT_FILES}
directory=$1 link=$2 sha256=$3 unsealed=$4
${EXECUTABLE_STATE}
${LINK_COMMAND}
if [ -n "$sha256" ] && [ -n "$unsealed" ] && [ "$unsealed" = "$(facts_of "$directory/fleet")" ]; then
  seal "$sha256" "$unsealed"
fi
link_command
executable_state
`

export const placeReasons = [
  'configuration_failed',
  'disk_full',
  'checksum_mismatch',
  'candidate_invalid',
] as const
