import type { Secret } from '@fleet/kernel'
import { type Command, script, type Word, withStdin } from '@fleet/shell'
import { ROOT_FILES } from '#/nodes/api.ts'

/** Where one leaf stands on a machine and who reads it. */
export interface LeafPlace {
  /** Root folder of the machine; empty but in tests. */
  readonly root: string
  readonly directory: string
  readonly file: string
  readonly owner: string
  /** Unit to reload; empty for none. */
  readonly unit: string
}

/** Answers the certificate of the file, without its key, and whether the file is as it was written and read since. */
export const inspectLeaf = (place: LeafPlace): Command => script(INSPECT, ...words(place))

/** Puts key and certificate in place as one file, then reloads. Answers `published`, or refuses. */
export const writeLeaf = (place: LeafPlace, pair: Secret): Command =>
  withStdin(script(WRITE, ...words(place), Buffer.byteLength(pair.reveal())), pair)

export const removeLeaf = (place: LeafPlace): Command => script(REMOVE, ...words(place))

const words = ({ root, directory, file, owner, unit }: LeafPlace): readonly Word[] => [
  `${root}${directory}`,
  file,
  owner,
  unit,
]

const PLACE = `${ROOT_FILES}
directory=$1 file=$1/$2 owner=$3 unit=$4
# Beside a file that its reader has not been told of yet.
pending=$file.pending
`

const INSPECT = `# look at a certificate
${PLACE}
state=unsound
if [ -f "$file" ] && [ ! -L "$file" ] && [ ! -L "$directory" ] && [ ! -e "$pending" ] &&
  [ "$(stat -c '%a %U' -- "$file")" = "600 $owner" ] && grep -q 'PRIVATE KEY' "$file"; then state=sound; fi
field state "$state"
field certificate "$(sed -n '/BEGIN CERTIFICATE/,/END CERTIFICATE/p' "$file")"
`

const WRITE = `# publish a certificate
${PLACE}
bytes=$5
fresh=$file.fleet-new
group=$(id -g -- "$owner") || refuse owner_missing
# The folders above are Fleet's own or the service's: one that is missing may be passed through by all.
(umask 022; mkdir -p -- "\${directory%/*}") && directory 755 "$directory" || refuse write_failed
rm -f -- "$fresh"
(set -C && cat >"$fresh") && [ "$(wc -c <"$fresh")" -eq "$bytes" ] && chown "$owner:$group" "$fresh" &&
  chmod 600 "$fresh" && sync "$fresh" || { rm -f -- "$fresh"; refuse write_failed; }
[ -z "$unit" ] || { : >"$pending" && sync "$pending"; } || { rm -f -- "$fresh"; refuse write_failed; }
mv -fT -- "$fresh" "$file" && sync "$directory" || refuse write_failed
if [ -n "$unit" ]; then
  systemctl try-reload-or-restart "$unit" || refuse reload_failed
  rm -f -- "$pending"
fi
field published yes
`

const REMOVE = `# withdraw a certificate
${PLACE}
rm -f -- "$file" "$file.fleet-new" "$pending" || refuse write_failed
rmdir -- "$directory"
field withdrawn yes
`
