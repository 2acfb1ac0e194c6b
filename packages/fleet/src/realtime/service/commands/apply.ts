import { Secret } from '@fleet/kernel'
import { type Command, script, withStdin } from '@fleet/shell'
import { placeWords, SERVER } from '#/realtime/service/commands/library.ts'
import type { ServerFiles } from '#/realtime/service/files.ts'
import type { ServerPlace } from '#/realtime/service/place.ts'

/** Makes the account and writes configuration and unit; nothing is started. Answers the state of the files, or refuses. */
export function applyServer(place: ServerPlace, { configuration, unit }: ServerFiles): Command {
  const contents = [configuration.reveal(), unit]
  const head = `${contents.map((content) => Buffer.byteLength(content)).join(' ')}\n`
  return withStdin(script(SOURCE, ...placeWords(place)), new Secret(head + contents.join('')))
}

const SOURCE = `# set the websocket server up
${SERVER}
id -u -- "$account" >/dev/null ||
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin -- "$account" ||
  refuse account_failed
group=$(id -g -- "$account") || refuse account_failed
read -r configuration unit || refuse write_failed
# What other roles need of the folder above is theirs to say.
[ -d "\${home%/*}" ] || directory 711 "\${home%/*}" || refuse write_failed
directory 750 "$home" && chgrp -- "$group" "$home" || refuse write_failed
fresh=$home/config.json.fleet-new
rm -f -- "$fresh"
(set -C && head -c "$configuration" >"$fresh") && chgrp -- "$group" "$fresh" && chmod 640 "$fresh" && sync "$fresh" &&
  mv -fT -- "$fresh" "$home/config.json" && sync "$home" || { rm -f -- "$fresh"; refuse write_failed; }
head -c "$unit" | put 644 "$units/$unit_name" || refuse write_failed
systemctl daemon-reload || refuse write_failed
server_state
`
