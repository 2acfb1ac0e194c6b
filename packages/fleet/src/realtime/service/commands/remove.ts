import { type Command, script } from '@fleet/shell'
import { placeWords, SERVER } from '#/realtime/service/commands/library.ts'
import type { ServerPlace } from '#/realtime/service/place.ts'

/** Ends the server, which sends its clients away first. Answers `stopped`, or refuses. */
export const stopServer = (place: ServerPlace): Command => script(STOP, ...placeWords(place))

const STOP = `# stop the websocket server
${SERVER}
if [ -e "$units/$unit_name" ]; then systemctl disable --now "$unit_name" || refuse stop_failed; fi
field stopped yes
`

/** Takes the files of a stopped server away, and its account. Answers `removed`, or refuses. */
export const removeServer = (place: ServerPlace): Command => script(REMOVE, ...placeWords(place))

const REMOVE = `# remove the websocket server
${SERVER}
if [ -e "$units/$unit_name" ]; then
  rm -f -- "$units/$unit_name" && systemctl daemon-reload || refuse write_failed
  systemctl reset-failed "$unit_name"
fi
rm -rf -- "$home" "$runtime" || refuse write_failed
rmdir -- "\${home%/*}/certificates" "\${home%/*}"
if id -u -- "$account" >/dev/null; then userdel -- "$account" || refuse account_failed; fi
field removed yes
`
