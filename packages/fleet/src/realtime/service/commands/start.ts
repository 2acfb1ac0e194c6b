import { type Command, script } from '@fleet/shell'
import { placeWords, SERVER } from '#/realtime/service/commands/library.ts'
import type { ServerPlace } from '#/realtime/service/place.ts'

/**
 * Enables the unit and restarts what does not run as the unit says; waits until it is ready. Answers `running` with
 * `unchanged` or `started`, or refuses.
 */
export const startServer = (place: ServerPlace, { force }: { readonly force: boolean }): Command =>
  script(SOURCE, ...placeWords(place), force ? 'force' : 'keep')

const SOURCE = `# start the websocket server
${SERVER}
force=$1
as_wanted() { [ -n "$(wanted)" ] && [ "$(running)" = "$(wanted)" ]; }
if [ "$force" = keep ] && as_wanted && systemctl -q is-enabled "$unit_name"; then field running unchanged; exit; fi
systemctl reset-failed "$unit_name"
systemctl enable "$unit_name" || refuse start_failed
if [ "$force" = force ] || ! as_wanted; then
  rm -f -- "$runtime/ready"
  systemctl restart "$unit_name" || refuse start_failed
fi
tries=0
until as_wanted; do
  tries=$((tries + 1))
  [ "$tries" -le 150 ] || refuse start_failed
  sleep 0.1
done
sync "$units"
field running started
`
