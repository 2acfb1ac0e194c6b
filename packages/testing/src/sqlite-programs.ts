import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const COPY = import.meta.resolve('@fleet/database-access/sqlite-copy-program')
const CARRY = import.meta.resolve('@fleet/database-access/sqlite-carry-program')

/**
 * The executable of a Node, as far as it copies SQLite files. It notes its words in `copies` of the folder, and ends with the status
 * that `no-copy`, or `no-` and the word of a carriage, says there. `cut-` and the word says after how many bytes its output ends.
 */
const program = (state: string): string => `#!/bin/sh
if [ "$1" = node-sqlite-carry ]; then
  printf '%s\\n' "$*" >>'${state}/copies'
  [ ! -e '${state}/no-'"$2" ] || exit "$(cat '${state}/no-'"$2")"
  carry() {
    '${process.execPath}' --input-type=module -e '
import { main } from "${CARRY}"
process.exitCode = await main(process.argv.slice(1))
' -- "$@"
  }
  if [ -e '${state}/cut-'"$2" ]; then carry "$2" | head -c "$(cat '${state}/cut-'"$2")"; else carry "$2"; fi
  exit
fi
[ "$1" = node-sqlite-copy ] || exit 64
input=$(cat)
printf '%s %s\\n' "$*" "$input" >>'${state}/copies'
[ ! -e '${state}/no-copy' ] || exit "$(cat '${state}/no-copy')"
printf '%s' "$input" | exec '${process.execPath}' --input-type=module -e '
import { main } from "${COPY}"
process.exitCode = await main()
'`

/** Puts it into a folder of programs. */
export function installSqlitePrograms(bin: string, state: string): void {
  writeFileSync(join(bin, 'fleet'), program(state))
  chmodSync(join(bin, 'fleet'), 0o755)
}
