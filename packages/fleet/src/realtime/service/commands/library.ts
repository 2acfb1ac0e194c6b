import { ROOT_FILES } from '@fleet/shell'
import type { Word } from '@fleet/shell'
import type { ServerPlace } from '#/realtime/service/place.ts'

export const placeWords = ({ home, unitDirectory, runtime, account }: ServerPlace): readonly Word[] => [
  home,
  unitDirectory,
  runtime,
  account,
]

/**
 * What the scripts of the WebSocket server start with; their first four arguments are its place. `server_state` answers
 * the fields `configuration` and `unit`: SHA-256, empty when the file is missing or somebody else's.
 */
export const SERVER = `${ROOT_FILES}
home=$1 units=$2 runtime=$3 account=$4
shift 4
unit_name=fleet-websocket.service

# for_account MODE PATH: root's with this mode, and of the group of the account.
for_account() { [ "$(owned "$2")" = "$1" ] && [ "$(stat -c %g -- "$2")" = "$(id -g -- "$account")" ]; }

server_state() {
  if for_account 750 "$home" && for_account 640 "$home/config.json"; then
    field configuration "$(digest "$home/config.json")"
  else field configuration ''; fi
  field unit "$(sound 644 "$units/$unit_name")"
}

# The digest with which the live process began, empty when none is ready.
running() {
  pid=$(systemctl show --property=MainPID --value "$unit_name")
  [ "\${pid:-0}" != 0 ] && read -r ready began <"$runtime/ready" && [ "$ready" = "$pid" ] && printf '%s' "$began"
}
wanted() { sed -n 's/^ExecStart=.*--configuration=//p' "$units/$unit_name"; }
`
